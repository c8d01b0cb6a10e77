import { posix } from 'node:path'
import type { Problem, Rule } from '../problem.ts'
import type { SourceFile } from '../source.ts'

/** Import cycles are not allowed, including types: move shared code to a third file. */
export const cycles: Rule = ({ files }) => {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const visited = new Set<string>()
  const problems: Problem[] = []

  const visit = (file: SourceFile, trail: readonly string[]) => {
    visited.add(file.path)
    for (const { value, line } of file.imports) {
      const target = value.startsWith('.') ? byPath.get(posix.join(posix.dirname(file.path), value)) : undefined
      if (!target) continue
      const start = trail.indexOf(target.path)
      if (start >= 0) problems.push(cycle(file.path, line, [...trail.slice(start), target.path]))
      else if (!visited.has(target.path)) visit(target, [...trail, target.path])
    }
  }

  for (const file of files) if (!visited.has(file.path)) visit(file, [file.path])
  return problems
}

function cycle(path: string, line: number, trail: readonly string[]): Problem {
  return {
    rule: 'cycles',
    path,
    line,
    message: `closes an import cycle, ${trail.join(' → ')}: move shared code to a separate file`,
  }
}
