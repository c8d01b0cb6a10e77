import { nearest } from './nearest.ts'

/** The members of a type by name, all of them: types are gone when descriptions are read. */
export type Members<T> = Readonly<Record<T extends unknown ? keyof T & string : never, true>>

/**
 * Refuses a name that is nearly one of the contract's: nobody would look at that member. A name that is like none may
 * be a family of somebody's own. Whatever is no object is left alone.
 * @returns the value.
 * @throws TypeError that names what was meant.
 */
export function checkMembers<T>(what: string, value: T, members: object): T {
  if (typeof value !== 'object' || value === null) return value
  for (const name of Object.keys(value)) {
    const meant = Object.hasOwn(members, name) ? undefined : nearest(name, Object.keys(members))
    if (meant !== undefined) throw new TypeError(`${what} has no member "${name}". Did you mean "${meant}"?`)
  }
  return value
}
