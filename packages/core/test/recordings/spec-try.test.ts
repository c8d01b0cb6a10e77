import { it } from 'vitest'
import { FORMATS, folder, readRecordings } from './recordings.ts'
import { readSpecification } from './specification.ts'
it('x', () => {
  for (const f of FORMATS) {
    const v = readSpecification(f, folder!)
    const counts = new Map<string, number>()
    let ok = 0, n = 0
    for (const r of readRecordings()) {
      if (r.format !== f || !r.request || r.status !== 200) continue
      n++
      const e = v(f === 'generate-content' ? r.request : { model: 'm', ...r.request })
      if (e.length === 0) ok++
      else for (const x of e.slice(0, 40)) counts.set(x, (counts.get(x) ?? 0) + 1)
    }
    console.log(f, ok, n, [...counts].sort((a, b) => b[1] - a[1]).slice(0, 25))
  }
})
