import {
  KEY_RIGHT_NAMES,
  KEY_RIGHTS,
  KEY_SETTING_NAMES,
  KEY_SETTINGS,
} from '../../packages/gateway/src/ports/key-rights.ts'
import { code, table } from './markdown.ts'

const ABSENT = { exclusive: 'all; none if another of `models`, `search` and `scopes` is set', all: 'all' }

/** Permissions of a key, with the flags of `keys create`. */
export function keyRightsTable(): string {
  const lists = KEY_RIGHT_NAMES.map((name) => {
    const { description, example, absent } = KEY_RIGHTS[name]
    return [code(name), code(`--${name} ${example}`), description, name === 'scopes' ? 'none' : ABSENT[absent]]
  })
  const settings = KEY_SETTING_NAMES.map((name) => {
    const { description, example, absent } = KEY_SETTINGS[name]
    return [code(name), code(`--${name} ${example}`), description, code(String(absent))]
  })
  return table(['field', '`keys create`', 'meaning', 'if absent'], [...lists, ...settings])
}
