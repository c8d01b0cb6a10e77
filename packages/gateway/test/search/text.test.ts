import { describe, expect, it } from 'vitest'
import { boldHtml, wordPattern } from '../../src/families/search/text.ts'

describe('The words of a query in a text', () => {
  it.each([
    ['cat', 'The cat, a CAT, cats and concat.', 'The <b>cat</b>, a <b>CAT</b>, cats and concat.'],
    [
      "rock'n roll",
      "Rock'n'roll & rock'n-roll",
      '<b>Rock&#39;n</b>&#39;<b>roll</b> &amp; <b>rock&#39;n</b>-<b>roll</b>',
    ],
    ["the cat's cat", "A cat’s, the cat's", 'A <b>cat</b>’s, <b>the</b> <b>cat&#39;s</b>'],
    ['Éclair ΣΑΣ', 'éclair σας', '<b>éclair</b> <b>σας</b>'],
    ['休暇 leave', '有給休暇leave leave', '有給<b>休暇</b>leave <b>leave</b>'],
  ])('of %j are bold wherever they stand as words', (query, text, html) => {
    expect(boldHtml(text, wordPattern(query))).toBe(html)
  })
})
