import { KEY_RIGHT_NAMES, KEY_RIGHTS, type KeyRightName } from '@headgate/gateway/ports/key-rights'
import type { Key } from '../../api/keys.ts'
import { counted } from '../../formats/numbers.ts'

/** Permissions of a key in one line. */
export function rightsOf(key: Pick<Key, KeyRightName>): string {
  const parts = KEY_RIGHT_NAMES.flatMap((name) => {
    const list = key[name]
    if (list === undefined) return []
    const { one, many } = KEY_RIGHTS[name]
    return [
      list.length === 1 || (name === 'scopes' && list.length > 0) ? list.join(', ') : counted(list.length, one, many),
    ]
  })
  return parts.length === 0 ? 'All' : parts.join(' · ')
}
