import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { DashboardFile } from '@headgate/dashboard'

const HTML =
  '<!doctype html>\n<html lang="en"><title>Headgate</title><script type="module" src="/assets/start-B3xk.js"></script></html>\n'

function file(path: string, type: string, text: string, isImmutable = true): DashboardFile {
  const bytes = Buffer.from(text)
  return { path, type, isImmutable, bytes, brotli: brotliCompressSync(bytes), gzip: gzipSync(bytes) }
}

/** A dashboard of three files, as its package lists them. */
export const SITE: readonly DashboardFile[] = [
  file('/index.html', 'text/html; charset=utf-8', HTML, false),
  file(
    '/assets/start-B3xk.js',
    'text/javascript; charset=utf-8',
    `console.log(${JSON.stringify('x'.repeat(2_000))})\n`,
  ),
  {
    path: '/icon.svg',
    type: 'image/svg+xml',
    isImmutable: false,
    bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  },
]
