import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** With the whole gateway in it, a thread starts in twice the time and holds 14 MB more. */
it('What a thread loads of the core is what a store needs, and no gateway', () => {
  const folder = join(import.meta.dirname, '../../src')
  // Alerts are an entry of their own, which no thread loads. Sinks are loaded only where they are configured.
  const files = globSync('**/*.ts', { cwd: folder }).filter(
    (file) => file !== 'alerts.ts' && !file.startsWith('sinks/'),
  )
  const imports = files.flatMap((file) => [
    ...readFileSync(join(folder, file), 'utf8').matchAll(/from '(@headgate\/[^']+)'/g),
  ])
  expect(new Set(imports.map(([, name]) => name))).toEqual(new Set(['@headgate/gateway/ports']))
})
