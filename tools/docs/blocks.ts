const OPEN = /<!-- generated:([a-z-]+) -->/g

/** Writer of a generated block. */
export type BlockWriter = () => string | Promise<string>

/**
 * Page with new content between each `<!-- generated:NAME -->` and `<!-- /generated:NAME -->`.
 *
 * @throws Error for a block without a writer or without an end.
 */
export async function fillBlocks(page: string, writers: Readonly<Record<string, BlockWriter>>): Promise<string> {
  let filled = ''
  let end = 0
  for (const { 0: open, 1: name = '', index } of page.matchAll(OPEN)) {
    const writer = Object.hasOwn(writers, name) ? writers[name] : undefined
    if (!writer)
      throw new Error(`Nothing writes the block "${name}". Known blocks: ${Object.keys(writers).join(', ')}.`)
    const close = `<!-- /generated:${name} -->`
    const stop = page.indexOf(close, index)
    if (stop < 0) throw new Error(`The block "${name}" does not end: ${close} is missing.`)
    filled += `${page.slice(end, index)}${open}\n${(await writer()).trim()}\n${close}`
    end = stop + close.length
  }
  return filled + page.slice(end)
}
