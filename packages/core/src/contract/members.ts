import { nearest } from './nearest.ts'

type Words<List extends string> = List extends `${infer First} ${infer Rest}` ? First | Words<Rest> : List
type MemberNames<T> = T extends unknown ? keyof T & string : never
/** `unknown` if the lists are complete and correct, else the missing or wrong names, for the compiler's message. */
type ListProblem<Expected, Listed, IsOpen> = [Listed] extends [Expected]
  ? [IsOpen extends true ? never : Exclude<Expected, Listed>] extends [never]
    ? unknown
    : { readonly missing: Exclude<Expected, Listed> }
  : { readonly wrong: Exclude<Listed, Expected> }

/**
 * Names of the members of a type at run time, from lists of names separated by spaces. The compiler checks that they
 * are complete, unless `IsOpen`, for types to which other packages add members.
 */
export function membersOf<T, IsOpen extends boolean = false>() {
  return <const Lists extends readonly string[]>(
    ...lists: Lists & ListProblem<MemberNames<T>, Words<Lists[number]>, IsOpen>
  ): readonly string[] => lists.flatMap((list) => list.split(' '))
}

/**
 * Rejects a member whose name resembles a name of the contract, since it would be ignored. Other names may belong to
 * families of other packages. Values that are not objects are returned unchanged.
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
