import { nearest } from './nearest.ts'

type Words<List extends string> = List extends `${infer First} ${infer Rest}` ? First | Words<Rest> : List
type Keys<T> = T extends unknown ? keyof T & string : never
/** Nothing, if the lists are right; else names that are missing or wrong, for the compiler's message. */
type Problem<Expected, Listed, IsOpen> = [Listed] extends [Expected]
  ? [IsOpen extends true ? never : Exclude<Expected, Listed>] extends [never]
    ? unknown
    : { readonly missing: Exclude<Expected, Listed> }
  : { readonly wrong: Exclude<Listed, Expected> }

/**
 * Names of the members of a type, since types do not exist at run time: lists of names separated by spaces. The compiler
 * checks that they are complete, unless the type `IsOpen`: other packages add members to it.
 */
export function membersOf<T, IsOpen extends boolean = false>() {
  return <const Lists extends readonly string[]>(
    ...lists: Lists & Problem<Keys<T>, Words<Lists[number]>, IsOpen>
  ): readonly string[] => lists.flatMap((list) => list.split(' '))
}

/**
 * Refuses a member whose name is nearly one of the contract's, since nothing would read it. Other names may belong to
 * families of other packages. A value that is not an object is left alone.
 * @returns the value.
 * @throws TypeError that suggests the name.
 */
export function checkMembers<T>(what: string, value: T, members: readonly string[]): T {
  if (typeof value !== 'object' || value === null) return value
  for (const name of Object.keys(value)) {
    const meant = members.includes(name) ? undefined : nearest(name, members)
    if (meant !== undefined) throw new TypeError(`${what} has no member "${name}". Did you mean "${meant}"?`)
  }
  return value
}
