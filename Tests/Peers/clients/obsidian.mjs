// The requests of Obsidian_to_Anki, as its files are scanned: all in `multi`, each answer taken apart by its own `parse`.
import assert from 'node:assert';
import fs from 'node:fs';

const place = process.env.CLIENT_DATA + '/obsidian.ts';
fs.writeFileSync(place, fs.readFileSync(process.env.CLIENT + '/src/anki.ts', 'utf8').replace(/^import .*$/gm, ''));
// What it has of a browser: it asks port 8765.
globalThis.XMLHttpRequest = class {
  constructor() { this.on = {}; }
  addEventListener(name, body) { this.on[name] = body; }
  open(method) { this.method = method; }
  async send(body) {
    const answer = await fetch(process.env.DECKHAND_URL, {method: this.method, body});
    this.responseText = await answer.text();
    this.on.load();
  }
};
const a = await import(place);
assert((await a.invoke('modelNames')).includes('Cloze'));
const names = (await a.invoke('multi', {actions: ['Basic', 'Cloze'].map(
  (name) => ({action: 'modelFieldNames', version: 6, params: {modelName: name}}))})).map(a.parse);
assert.deepEqual(names[0], ['Front', 'Back']);
const note = (front, tags) => ({
  deckName: 'Obsidian', modelName: 'Basic', fields: {Front: front, Back: 'b'},
  options: {allowDuplicate: false, duplicateScope: 'deck'}, tags,
});
const made = await a.invoke('multi', {actions: [
  a.multi([a.createDeck('Obsidian')]),
  a.multi([a.addNote(note('uno', ['Obsidian_to_Anki'])), a.addNote(note('dos', [])), a.addNote(note('uno', []))]),
  a.multi([a.storeMediaFile('a.png', Buffer.from('x').toString('base64')),
    a.storeMediaFileByPath('b.mp3', process.env.CLIENT_DATA + '/sound.mp3')]),
  a.getTags(),
]});
const [decks, added, media, tags] = made.map(a.parse);
a.parse(decks[0]);
const ids = added.slice(0, 2).map(a.parse);
assert(ids.every((id) => typeof id === 'number'));
assert.throws(() => a.parse(added[2]), (error) => /duplicate/.test(error));
assert.deepEqual(media.map(a.parse), ['a.png', 'b.mp3']);
assert(a.parse(await a.invoke('multi', {actions: [a.getTags()]}).then((list) => list[0])).includes('Obsidian_to_Anki'));
const info = a.parse((await a.invoke('multi', {actions: [a.notesInfo(ids)]}))[0]);
const cards = info.flatMap((one) => one.cards);
(await a.invoke('multi', {actions: [
  a.updateNoteFields(ids[0], {Front: 'uno', Back: 'one'}), a.changeDeck(cards, 'Obsidian::Moved'),
  a.removeTags(ids, 'Obsidian_to_Anki'), a.addTags(ids, 'kept'), a.deleteNotes([ids[1]]),
]})).forEach(a.parse);
const [left] = await a.invoke('notesInfo', {notes: [ids[0]]});
assert.equal(left.fields.Back.value, 'one');
assert.deepEqual(left.tags, ['kept']);
assert.equal((await a.invoke('findNotes', {query: 'deck:Obsidian::Moved'})).length, 1);
console.log('12 of its requests answer as it expects');
