// Yomitan's class AnkiConnect, whole: every function that its pages and its settings call.
import assert from 'node:assert';

const {AnkiConnect} = await import(process.env.CLIENT + '/ext/js/comm/anki-connect.js');
const anki = new AnkiConnect();
anki.server = process.env.DECKHAND_URL;
anki.enabled = true;
assert(await anki.isConnected());
assert.equal(await anki.getVersion(), 6);
assert((await anki.getModelNames()).includes('Basic'));
assert.deepEqual(await anki.getModelFieldNames('Basic'), ['Front', 'Back']);
const note = (word, scope) => ({
  deckName: 'Yomitan', modelName: 'Basic', fields: {Front: word, Back: 'a meaning'}, tags: ['yomitan'],
  options: {allowDuplicate: false, duplicateScope: scope, duplicateScopeOptions: {
    deckName: null, checkChildren: false, checkAllModels: false}},
});
const missing = await anki.canAddNotesWithErrorDetail([note('gato', 'collection')]);
assert.equal(missing[0].canAdd, false);
assert.match(missing[0].error, /deck was not found/);
// The deck is made in Anki; the extension has no function for it.
await anki._invoke('createDeck', {deck: 'Yomitan'});
assert((await anki.getDeckNames()).includes('Yomitan'));
const id = await anki.addNote(note('gato', 'collection'));
assert.equal(typeof id, 'number');
await assert.rejects(anki.addNote(note('gato', 'deck')), /duplicate/);
const ids = await anki.addNotes([note('perro', 'collection'), note('sol "uno"', 'collection')]);
assert.equal(ids.length, 2);
assert.deepEqual(await anki.canAddNotes([note('gato', 'collection'), note('luna', 'collection')]), [false, true]);
const details = await anki.canAddNotesWithErrorDetail([note('gato', 'deck-root'), note('luna', 'deck-root')]);
assert.deepEqual(details.map((detail) => detail.canAdd), [false, true]);
assert.match(details[0].error, /duplicate/);
assert.deepEqual(await anki.findNoteIds([note('gato', 'deck'), note('luna', 'deck'), note('perro', 'deck-root')]),
  [[id], [], [ids[0]]]);
await anki.updateNoteFields({id, fields: {Front: 'gato', Back: 'cat'}});
const [info] = await anki.notesInfo([id]);
assert.equal(info.fields.Back.value, 'cat');
assert.equal(info.modelName, 'Basic');
const [card] = await anki.findCardsForNote(id);
assert.equal((await anki.cardsInfo([card]))[0].noteId, id);
assert(await anki.suspendCards([card]));
assert.deepEqual(await anki.findCards('is:suspended'), [card]);
assert.equal(await anki.storeMediaFile('yomitan_audio.mp3', Buffer.from('sound').toString('base64')),
  'yomitan_audio.mp3');
assert.deepEqual(await anki.guiBrowseNote(id), [card]);
assert.equal((await anki.guiBrowseNotes(ids)).length, 2);
assert(await anki.apiExists('addNote'));
assert(!(await anki.apiExists('nothingOfThatName')));
assert((await anki.apiReflect(['actions'], ['addNote', 'none'])).actions.includes('addNote'));
console.log('24 of its functions answer as it expects');
