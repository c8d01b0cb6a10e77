const WILDCARDS: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' }

/** Regular expression for a glob with `*`, `**`, `?` and `{a,b}`, for paths with slashes. */
export function globPattern(glob: string): RegExp {
  let depth = 0
  const source = glob.replace(/\*\*\/|\*\*|[*?]|[{},]|[.+^$()|[\]\\]/g, (mark) => {
    if (mark === '{' && depth++ >= 0) return '(?:'
    if (mark === '}' && depth > 0 && depth-- > 0) return ')'
    if (mark === ',') return depth > 0 ? '|' : ','
    return WILDCARDS[mark] ?? `\\${mark}`
  })
  return new RegExp(`^${source}${')'.repeat(depth)}$`, 'u')
}
