import { foldedPath, type Loss } from '@headgate/core/canonical'

const MAX_BYTES = 2048

/** Path in a form that a header can carry: ASCII, with folded indices. */
function fold(loss: Loss): string {
  const path = encodeURI(foldedPath(loss.path).toWellFormed())
    .replaceAll('%5B', '[')
    .replaceAll('%5D', ']')
    .replaceAll(',', '%2C')
    .replaceAll(';', '%3B')
  return loss.kind === 'changed' ? `${path};changed` : path
}

/**
 * Value of `headgate-lost`: each folded path once, at most 2 KB, then `+N` for the rest. Undefined if nothing was lost.
 */
export function lostHeader(losses: readonly Loss[]): string | undefined {
  if (losses.length === 0) return undefined
  const paths = [...new Set(losses.map(fold))]
  let value = ''
  for (const [index, path] of paths.entries()) {
    const next = value === '' ? path : `${value}, ${path}`
    const rest = paths.length - index
    if (next.length > MAX_BYTES - 8) return value === '' ? `+${rest}` : `${value}, +${rest}`
    value = next
  }
  return value
}
