import type { Rule } from '../problem.ts'
import type { SourceFile } from '../source.ts'

const FORMATS = 'packages/core/src/formats/'
const SOURCE = /^packages\/(?:core|gateway)\/src\//

/** Format ids are not compared outside the folder of formats: differences between formats are members of `Format`. */
export const formatIds: Rule = ({ files }) => {
  const ids = new Set(files.flatMap(idOf))
  return files
    .filter(({ path }) => SOURCE.test(path) && !path.startsWith(FORMATS))
    .flatMap(({ path, compared }) =>
      compared
        .filter(({ value }) => ids.has(value))
        .map(({ value, line }) => ({
          rule: 'format-ids',
          path,
          line,
          message: `compares with '${value}', the id of a format: add a member to Format instead`,
        })),
    )
}

function idOf({ path }: SourceFile): string[] {
  const [id = '', ...inside] = path.startsWith(FORMATS) ? path.slice(FORMATS.length).split('/') : []
  return inside.length > 0 ? [id] : []
}
