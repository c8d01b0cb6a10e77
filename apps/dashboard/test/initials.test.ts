import { expect, it } from 'vitest'
import { initialsOf } from '../web/shell/account-menu.tsx'

it('The account button has the initials of a name', () => {
  expect(['Ada Lovelace', 'Ada', 'ada king lovelace', '  ', '𝒜da Łoś'].map((name) => initialsOf(name))).toEqual([
    'AL',
    'A',
    'AL',
    '',
    '𝒜Ł',
  ])
})
