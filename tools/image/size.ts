import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createGzip } from 'node:zlib'
import type { Variant } from './layout.ts'

/** Maximum compressed bytes of an image, for each variant. */
export const BOUNDS: Readonly<Record<Variant, number>> = { full: 120_000_000, slim: 80_000_000 }

/**
 * Compressed bytes of the base image, rounded up. It is not on this machine; the release workflow adds up the layers of
 * the published image.
 */
export const BASE_BYTES = 11_000_000

/** Size of a layer in bytes, as tar, and compressed as a registry stores it. */
export interface LayerSize {
  readonly name: string
  readonly bytes: number
  readonly compressed: number
}

/** Measures a folder as a layer. @throws Error if tar fails */
export async function layerSize(name: string, folder: string): Promise<LayerSize> {
  const tar = spawn(
    'tar',
    ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '-C', folder, '-c', '.'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = once(tar, 'exit')
  let [bytes, compressed] = [0, 0]
  tar.stdout.on('data', (piece: Buffer) => {
    bytes += piece.length
  })
  for await (const piece of tar.stdout.pipe(createGzip({ level: 6 }))) compressed += (piece as Buffer).length
  const [code] = await ended
  if (code !== 0) throw new Error(`tar of ${folder} ended with ${code}.`)
  return { name, bytes, compressed }
}
