import { chatCompletions } from '@headgate/core/formats'
import {
  bodyOf,
  COST,
  HEADERS,
  IDEMPOTENCY_KEY,
  LOST,
  OBJECT,
  objectResponse,
  REQUEST_ID,
  type RouteOperation,
  SERVED_BY,
} from '../../edge/operation.ts'
import type { PathParameters } from '../../edge/router.ts'
import { createDownload } from '../../http/download.ts'
import { createGuard } from '../../http/guard.ts'
import type { GatewayOptions } from '../../ports/gateway-options.ts'
import type { Core } from '../../serve/core.ts'
import type { Family, OpenFamily } from '../../serve/family.ts'
import type { ImageServices } from './call.ts'
import { FILES, openImageFiles } from './files.ts'
import { createImageMaker } from './maker.ts'
import { editsSchema, generationsSchema, openRouterSchema } from './schema.ts'
import { serveForm, serveJson } from './serve.ts'

const IMAGES = '/v1/images'
const FILE = new RegExp(`^${FILES}/([\\w-]{1,64})$`)
/** Time to download an image from a provider, in milliseconds. */
const DOWNLOAD_MS = 120_000

const RESPONSE = objectResponse('The images as base64, or as links that are valid for an hour.', {
  ...REQUEST_ID,
  ...SERVED_BY,
  ...LOST,
  ...COST,
})
const FORM = { 'multipart/form-data': { schema: { $ref: '#/components/schemas/image-edits' } } }

const OPERATIONS = {
  generations: {
    id: 'image-generations',
    summary: 'Makes images from a prompt.',
    parameters: [...HEADERS, IDEMPOTENCY_KEY],
    conflicts: true,
    requestBody: bodyOf('image-generations'),
    responses: RESPONSE,
  },
  edits: {
    id: 'image-edits',
    summary: 'Edits images, or makes one from several. Accepts forms and JSON.',
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { ...FORM, 'application/json': { schema: { $ref: '#/components/schemas/image-edits' } } },
    },
    responses: RESPONSE,
  },
  variations: {
    id: 'image-variations',
    summary: 'Makes variations of an image, by an edit.',
    parameters: HEADERS,
    requestBody: { required: true, content: FORM },
    responses: RESPONSE,
  },
  openRouter: {
    id: 'images',
    summary: 'Makes images from a prompt and references.',
    parameters: [...HEADERS, IDEMPOTENCY_KEY],
    conflicts: true,
    requestBody: bodyOf('images'),
    responses: RESPONSE,
  },
  file: {
    id: 'get-image-file',
    summary: 'Returns an image. The link is signed and needs no key.',
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      ...['exp', 'sig'].map((name) => ({ name, in: 'query', required: false, schema: { type: 'string' } })),
    ],
    responses: { '200': { description: 'The image.', headers: REQUEST_ID, content: { 'image/png': OBJECT } } },
  },
} satisfies Record<string, RouteOperation>

function fileParameters(path: string): PathParameters | undefined {
  const id = FILE.exec(path)?.[1]
  return id === undefined ? undefined : { id }
}

function open(core: Core, { files: links, basePath = '', allowPrivateMedia }: GatewayOptions): OpenFamily {
  const files = links && openImageFiles(core.spools, links, basePath)
  const guard = createGuard({ allowPrivate: allowPrivateMedia })
  const download = createDownload({ limit: core.limits.answer, time: DOWNLOAD_MS, guard })
  const services: ImageServices = { files, download }
  core.imageMaker = createImageMaker(core, services)
  return {
    routes: [
      {
        method: 'POST',
        path: `${IMAGES}/generations`,
        operation: OPERATIONS.generations,
        canDryRun: true,
        isIdempotent: true,
        serve: (context) => serveJson(core, context, services, 'generations'),
      },
      {
        method: 'POST',
        path: `${IMAGES}/edits`,
        operation: OPERATIONS.edits,
        canDryRun: true,
        serve: (context) => serveForm(core, context, services, 'edits'),
      },
      {
        method: 'POST',
        path: `${IMAGES}/variations`,
        operation: OPERATIONS.variations,
        canDryRun: true,
        serve: (context) => serveForm(core, context, services, 'variations'),
      },
      {
        method: 'POST',
        path: IMAGES,
        operation: OPERATIONS.openRouter,
        canDryRun: true,
        isIdempotent: true,
        serve: (context) => serveJson(core, context, services, 'open-router'),
      },
      ...(files
        ? [
            {
              method: 'GET' as const,
              path: `${FILES}/{id}`,
              match: fileParameters,
              operation: OPERATIONS.file,
              isSigned: true,
              serve: (context, { parameters, query }) => files.send(context, parameters['id'] ?? '', query),
            } satisfies OpenFamily['routes'][number],
          ]
        : []),
    ],
    ...(files && { close: () => files.close() }),
  }
}

/** Images from prompts and from other images, at any provider that supports them. */
export const images: Family = {
  id: 'images',
  kind: 'provider',
  schemas: { 'image-generations': generationsSchema, 'image-edits': editsSchema, images: openRouterSchema },
  errors: (path) => (path === IMAGES || path.startsWith(`${IMAGES}/`) ? chatCompletions : undefined),
  has: ({ images: support }) => support !== undefined,
  open,
}
