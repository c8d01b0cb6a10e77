import type { Extract, Refusal } from '../document.ts'

/** Reads the text of all pages of a PDF. */
export async function readPdf(bytes: Uint8Array): Promise<Extract | Refusal> {
  if (!new TextDecoder('latin1').decode(bytes.subarray(0, 1_024)).includes('%PDF-'))
    return { reason: 'broken: it does not begin like a PDF' }
  // Imported on demand: two megabytes that are only needed for PDFs.
  const { extractText, getDocumentProxy, getMeta } = await import('unpdf')
  try {
    const document = await getDocumentProxy(bytes, { verbosity: 0 })
    const { text } = await extractText(document, { mergePages: false })
    const { info } = await getMeta(document)
    await document.loadingTask.destroy()
    const title: unknown = info['Title']
    return {
      text: text.join('\n').trim(),
      title: typeof title === 'string' && title.trim() !== '' ? title.trim() : undefined,
    }
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException'
    return { reason: isLocked ? 'encrypted' : 'broken: it cannot be read as a PDF' }
  }
}
