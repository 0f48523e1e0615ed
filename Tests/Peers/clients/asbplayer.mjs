// asbplayer's class Anki. Its imports of pages and media are left out; what it asks of Anki is its own code.
import assert from 'node:assert';
import fs from 'node:fs';

const parts = `
const sanitize = (text) => text;
const extractText = (card, text) => text ?? '';
const sourceString = () => '';
const fromBatches = async (list, body, {batchSize} = {batchSize: 100}) => {
  const found = [];
  for (let at = 0; at < list.length; at += batchSize) found.push(...await body(list.slice(at, at + batchSize)));
  return found;
};
class HttpFetcher {
  async fetch(url, body) { return (await fetch(url, {method: 'POST', body: JSON.stringify(body)})).json(); }
}
`;
const source = fs.readFileSync(process.env.CLIENT + '/common/anki/anki.ts', 'utf8');
const place = process.env.CLIENT_DATA + '/asbplayer.ts';
fs.writeFileSync(place, parts + source.replace(/^import[^;]*;$/gm, ''));
const {Anki, DuplicateNoteError} = await import(place);
const settings = {
  ankiConnectUrl: process.env.DECKHAND_URL, deck: 'asbplayer', noteType: 'asbplayer', sentenceField: 'Sentence',
  definitionField: 'Definition', wordField: 'Word', sourceField: 'Source', urlField: 'URL', audioField: 'Audio',
  imageField: 'Image', track1Field: '', track2Field: '', track3Field: '', customAnkiFields: {}, tags: ['a'],
};
const anki = new Anki(settings);
assert.equal((await anki.requestPermission()).permission, 'granted');
assert((await anki.version()) >= 6);
await anki.createModel({
  modelName: 'asbplayer', inOrderFields: ['Sentence', 'Definition', 'Word', 'Audio', 'Image', 'Source', 'URL'], css: '.card {}',
  cardTemplates: [{Name: 'Card 1', Front: '{{Sentence}}', Back: '{{Sentence}}<hr>{{Word}}{{Definition}}{{Audio}}{{Image}}'}],
});
await anki.createDeck('asbplayer');
assert((await anki.deckNames()).includes('asbplayer') && (await anki.modelNames()).includes('asbplayer'));
assert.equal((await anki.modelFieldNames('asbplayer')).length, 7);
const clip = {error: undefined, name: 'clip.mp3', extension: 'mp3', base64: async () => Buffer.from('sound').toString('base64')};
const image = {error: undefined, name: 'shot.png', extension: 'png', base64: async () => Buffer.from('picture').toString('base64')};
const exported = (mode, more) => anki.export({
  text: '¿Dónde está\nel gato?', definition: 'cat', word: 'gato', source: 'ep1', url: '', audioClip: clip, image,
  customFieldValues: {}, tags: ['asb'], mode, ...more,
});
const id = await exported('default');
assert.equal(typeof id, 'number');
const [info] = await anki.notesInfo([id]);
assert.equal(info.fields.Sentence.value, '¿Dónde está<br>el gato?');
assert.match(info.fields.Audio.value, /\[sound:.*\.mp3\]/);
assert.match(info.fields.Image.value, /<img src="/);
assert.equal(await exported('updateLast', {definition: 'a cat', tags: ['b']}), 'gato');
assert.deepEqual(await anki.findNotesWithWord('gato'), [id]);
assert.deepEqual(await anki.findNotesWithWord('ga*'), []);
const cards = await anki.findCardsWithWord('gato', ['Word', 'Sentence']);
assert.equal(cards.length, 1);
assert.deepEqual(await anki.findCardsContainingWord('dónde', ['Sentence']), cards);
assert.deepEqual(await anki.findRecentlyEditedOrReviewedCards(1, ['Word'], ['asbplayer']), cards);
assert.deepEqual(await anki.findNotesWithWordGui('gato'), cards);
const [card] = await anki.cardsInfo(cards);
assert.equal(card.note, id);
assert.equal(card.nextReviews?.length ?? 4, 4);
assert.equal((await anki.cardsModTime(cards))[0].cardId, cards[0]);
assert.equal((await anki.notesModTime([id]))[0].noteId, id);
assert.deepEqual(await anki.areSuspended(cards), [false]);
await assert.rejects(anki.export({text: 'x', word: 'x', tags: [], mode: 'default', ankiConnectUrl: settings.ankiConnectUrl + '/'
  , customFieldValues: {}}).then(() => anki._executeAction('addNote', {note: {
  deckName: 'asbplayer', modelName: 'asbplayer', fields: {Sentence: 'x'}, tags: []}})), DuplicateNoteError);
console.log('20 of its functions answer as it expects');
