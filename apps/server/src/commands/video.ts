import { readFileSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import type { Json } from '@headgate/core/provider'
import { loadSettings, storeOptions } from '../config/settings.ts'
import { type Command, type CommandContext, configOption, dataDirOption, flagsOf, usageError } from './command.ts'
import { stateBar } from './state-bar.ts'

/** Media types of images by file ending. */
const IMAGES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
}

export const makeVideo: Command = {
  name: 'video',
  words: '<prompt>',
  summary: 'generates a video and writes it to a file',
  options: {
    model: { type: 'string', value: 'name', help: 'model; `headgate models video` lists the models' },
    out: { type: 'string', value: 'file', help: 'file to write (default video.mp4)' },
    duration: { type: 'string', value: 'seconds', help: 'length of the video' },
    ratio: { type: 'string', value: '16:9', help: 'aspect ratio' },
    resolution: { type: 'string', value: '720p', help: '480p, 720p, 1080p or 4k' },
    image: { type: 'string', value: 'file or URL', help: 'image for the first frame' },
    vendor: { type: 'string', value: 'name', help: 'provider that must serve the request' },
    config: configOption,
    'data-dir': dataDirOption,
  },
  async run(context) {
    const body = bodyOf(context)
    const vendor = text(context, 'vendor')
    const names = [String(body['model']).split('/')[0] ?? '', ...(vendor === undefined ? [] : [vendor])]
    const file = resolve(context.folder, text(context, 'out') ?? 'video.mp4')
    const settings = await loadSettings(flagsOf(context.values), context)
    const { withGateway } = await import('../video/gateway.ts')
    const { makeVideo } = await import('../video/make.ts')
    const bar = stateBar(context.draw, process.stderr.isTTY === true)
    const stopping = new AbortController()
    const stop = () => stopping.abort()
    process.once('SIGINT', stop).once('SIGTERM', stop)
    try {
      const size = await withGateway({ settings, options: storeOptions(settings), context, names }, (gateway) =>
        makeVideo(
          gateway,
          { body, vendor, file },
          {
            signal: stopping.signal,
            onState: bar.show,
            onLost: (fields) => context.note(`Not sent to the provider: ${fields}\n`),
          },
        ),
      )
      bar.end()
      context.print(`${file} (${size.toLocaleString('en')} bytes)\n`)
    } finally {
      bar.end()
      process.off('SIGINT', stop).off('SIGTERM', stop)
    }
  },
}

function text({ values }: CommandContext, flag: string): string | undefined {
  const value = values[flag]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Request body for the video API. @throws HeadgateError for an incomplete command line. */
function bodyOf(context: CommandContext): Json {
  const [prompt, ...more] = context.words
  if (prompt === undefined || more.length > 0)
    throw usageError('video takes one prompt in quotes: headgate video "a cat surfing" --model demo')
  const model = text(context, 'model')
  if (model === undefined) throw usageError('--model <name> is required: `demo` generates a test video without a key')
  const seconds = text(context, 'duration')
  if (seconds !== undefined && !/^\d{1,4}$/.test(seconds))
    throw usageError(`--duration: found ${JSON.stringify(seconds)}; allowed: seconds, such as 5`)
  const image = text(context, 'image')
  const [ratio, resolution] = [text(context, 'ratio'), text(context, 'resolution')]
  return {
    model,
    content: [
      { type: 'text', text: prompt },
      ...(image === undefined
        ? []
        : [{ type: 'image_url', image_url: { url: imageUrl(context, image) }, role: 'first_frame' }]),
    ],
    ...(seconds !== undefined && { duration: Number(seconds) }),
    ...(ratio !== undefined && { ratio }),
    ...(resolution !== undefined && { resolution }),
  }
}

function imageUrl({ folder }: CommandContext, image: string): string {
  if (/^https?:/.test(image)) return image
  const type = IMAGES[extname(image).toLowerCase()]
  if (!type) throw usageError(`--image: ${image} is neither a URL nor one of ${Object.keys(IMAGES).join(', ')}`)
  try {
    return `data:${type};base64,${readFileSync(resolve(folder, image)).toString('base64')}`
  } catch (error) {
    throw usageError(
      `--image: ${image} cannot be read: ${error instanceof Error && 'code' in error ? String(error.code) : String(error)}`,
    )
  }
}
