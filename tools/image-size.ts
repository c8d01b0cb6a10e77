import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { layOut, VARIANTS, type Variant } from './image/layout.ts'
import { BASE_BYTES, BOUNDS, layerSize } from './image/size.ts'

/** Prints the compressed size of both images, and exits with 1 if one is too large. Requires a build. */
const inMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1).padStart(7)} MB`

for (const variant of Object.keys(VARIANTS) as Variant[]) {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-image-'))
  try {
    const { node, app } = layOut(variant, folder)
    const layers = [await layerSize('node', node), await layerSize('app', app)]
    const sum = layers.reduce((total, { compressed }) => total + compressed, BASE_BYTES)
    const rows = [...layers.map(({ name, compressed }) => [name, compressed] as const), ['base', BASE_BYTES] as const]
    for (const [name, bytes] of rows) process.stdout.write(`${variant}  ${name.padEnd(5)}${inMegabytes(bytes)}\n`)
    const verdict = sum <= BOUNDS[variant] ? 'within' : 'above'
    process.stdout.write(`${variant}  sum  ${inMegabytes(sum)}, ${verdict} ${inMegabytes(BOUNDS[variant]).trim()}\n`)
    if (sum > BOUNDS[variant]) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
