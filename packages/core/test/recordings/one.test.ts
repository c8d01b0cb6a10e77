import { it } from 'vitest'
import { formats } from '../../src/formats/index.ts'
import { readRecordings } from './recordings.ts'

const cut = (v: unknown): unknown =>
  typeof v === 'string'
    ? v.length > 120
      ? v.slice(0, 120) + '…'
      : v
    : Array.isArray(v)
      ? v.map(cut)
      : v && typeof v === 'object'
        ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, cut(x)]))
        : v
it('x', () => {
  const [id, to, model] = (process.env['ONE'] ?? '').split(' ')
  const r = readRecordings().find((x) => x.id === id)!
  const req = formats.get(r.format)!.readRequest({ ...r.request, ...(r.format !== 'generate-content' && { model: 'x' }) }, { model: 'x' })
  const losses: any[] = []
  const out = formats
    .get(to!)!
    .writeRequest(
      req,
      { model: model ?? 'm', signer: to === 'messages' ? 'claude' : to === 'generate-content' ? 'gemini' : undefined },
      losses,
    )
  console.log(
    JSON.stringify(cut(r.request), null, 1).slice(0, 5000),
    '\n=>\n',
    JSON.stringify(cut(out.body), null, 1).slice(0, 5000),
    '\nLOSSES',
    JSON.stringify(losses),
  )
})
