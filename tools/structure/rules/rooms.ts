import { posix } from 'node:path'
import type { Problem, Rule } from '../problem.ts'
import type { SourceFile } from '../source.ts'

const SRC = 'packages/core/src'
const FAMILIES = `${SRC}/families`

/** Entries and `gateway.ts`: whatever stands at the top. */
const TOP = 'the root'
/** What stands at the bottom, for every room. */
const GROUND = 'the ground'
const GROUND_FILES: ReadonlySet<string> = new Set(['errors.ts', 'clock.ts', 'uuid.ts'])

/** The rooms of core, from the top. A file imports from its own and from those below. */
const ROOMS = [TOP, 'families', 'pipeline', 'routing', 'edge', 'http', 'formats', 'contract', 'canonical', GROUND]

/** Arrows between core's rooms run down only, families know nothing of each other, and each is a folder. */
export const rooms: Rule = ({ files }) =>
  files.filter(({ path }) => path.startsWith(`${SRC}/`)).flatMap((file) => [...place(file), ...imports(file)])

function roomOf(path: string): string {
  const [room = '', ...inside] = path.slice(SRC.length + 1).split('/')
  if (inside.length > 0) return room
  return GROUND_FILES.has(room) ? GROUND : TOP
}

/** The folder of a family, or undefined elsewhere. */
function familyOf(path: string): string | undefined {
  const [family, ...inside] = path.startsWith(`${FAMILIES}/`) ? path.slice(FAMILIES.length + 1).split('/') : []
  return inside.length > 0 ? family : undefined
}

function place({ path }: SourceFile): Problem[] {
  const room = roomOf(path)
  if (!ROOMS.includes(room)) {
    const message = `is in a room that core does not have: its rooms are ${ROOMS.slice(1, -1).join(', ')}`
    return [{ rule: 'rooms', path, message }]
  }
  if (room !== 'families' || familyOf(path) !== undefined || path === `${FAMILIES}/index.ts`) return []
  return [
    { rule: 'rooms', path, message: 'does not belong here: families/ holds index.ts and a folder for each family' },
  ]
}

function imports({ path, imports }: SourceFile): Problem[] {
  const from = roomOf(path)
  const family = familyOf(path)
  return imports.flatMap(({ value, line }) => {
    if (!value.startsWith('.')) return []
    const target = posix.join(posix.dirname(path), value)
    const to = roomOf(target)
    const other = familyOf(target)
    if (ROOMS.indexOf(to) < ROOMS.indexOf(from))
      return {
        rule: 'rooms',
        path,
        line,
        message: `imports '${value}', from ${from} up to ${to}: move what both need down`,
      }
    if (family === undefined || other === undefined || other === family) return []
    return {
      rule: 'rooms',
      path,
      line,
      message: `imports '${value}', of another family: move what both need into pipeline/`,
    }
  })
}
