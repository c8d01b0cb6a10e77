import type { Problem, Rule } from '../problem.ts'

/** A type name means one thing in the repository, so that "go to symbol" finds it. Tests and tools are left out. */
export const typeNames: Rule = ({ packages }) => {
  const first = new Map<string, string>()
  return packages.flatMap(({ sources }) =>
    sources.flatMap(({ path, types }) =>
      types.flatMap(({ value, line }): Problem[] => {
        const other = first.get(value)
        if (other === undefined) first.set(value, path)
        if (other === undefined || other === path) return []
        return [
          { rule: 'type-names', path, line, message: `\`${value}\` is declared in ${other}, too: rename one of them` },
        ]
      }),
    ),
  )
}
