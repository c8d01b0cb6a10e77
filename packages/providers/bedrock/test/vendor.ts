import { Sha256 } from '@aws-crypto/sha256-js'
import type { ExpectedPart, Received, RequestMeaning, VendorFrame, WireFacts } from '@headgate/conformance'
import { type Json, object, objects, text } from '@headgate/core/codec'
import { SignatureV4 } from '@smithy/signature-v4'

export const REGION = 'eu-central-1'
export const keys = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'zebra.of.the.amazon',
  sessionToken: 'panther.of.the.amazon',
}

/** The hash of the body may be a header of its own; the signature covers it in any case. */
const signer = new SignatureV4({
  service: 'bedrock',
  region: REGION,
  credentials: keys,
  sha256: Sha256,
  applyChecksum: false,
})

/** What AWS's own library makes of a request that arrived. */
export async function signatureBy(
  { method, path, query, headers, raw }: Received,
  by = signer,
): Promise<string | undefined> {
  const at = headers['x-amz-date']?.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z') ?? ''
  const [hostname = '', port] = String(headers['host']).split(':')
  const request = {
    method,
    protocol: 'http:',
    hostname,
    port: Number(port),
    path,
    query: Object.fromEntries(query),
    headers: { host: String(headers['host']), 'content-type': String(headers['content-type']) },
    body: raw,
  }
  const signed = await by.sign(request, { signingDate: new Date(at) })
  return signed.headers['authorization']
}

const fields = (value: unknown): Json => object(value) ?? {}
/** The only formats, by media type. */
const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
}

// Written from https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
function said(role: 'user' | 'assistant', block: Json, calls: unknown[]): ExpectedPart {
  const { toolUse, toolResult, image, document, reasoningContent } = block
  if (object(toolUse)) {
    calls.push(fields(toolUse)['toolUseId'])
    return { role: 'assistant', call: { name: String(fields(toolUse)['name']), arguments: fields(toolUse)['input'] } }
  }
  if (object(toolResult)) {
    const result = objects(fields(toolResult)['content']).map((one) => text(one['text']) ?? '')
    return { role: 'user', result: result.join('\n'), of: calls.lastIndexOf(fields(toolResult)['toolUseId']) }
  }
  if (object(image) || object(document)) {
    const { format, source, name } = fields(image ?? document)
    if (document && typeof name !== 'string') throw new Error('a document must have a name')
    const media = TYPES[String(format)]
    if (!media) throw new Error(`the format ${String(format)} is not known`)
    return { role: 'user', media, base64: String(fields(source)['bytes']) }
  }
  if (object(reasoningContent)) {
    const { text: thought, signature } = fields(fields(reasoningContent)['reasoningText'])
    return { role: 'assistant', reasoning: String(thought), signature: String(signature) }
  }
  if (typeof block['text'] !== 'string' || block['text'].trim() === '') throw new Error('a text must not be blank')
  return { role, text: block['text'] }
}

/** What Converse understands of a request. */
export function read({ body }: Received): RequestMeaning {
  const { messages, system, inferenceConfig, toolConfig, additionalModelRequestFields } = fields(body)
  const { maxTokens, temperature, topP, stopSequences } = fields(inferenceConfig)
  const turns = objects(messages)
  if (turns[0]?.['role'] !== 'user') throw new Error('the first turn must be the user’s')
  if (turns.some(({ role }, index) => role === turns[index - 1]?.['role'])) throw new Error('roles must alternate')
  const calls: unknown[] = []
  const all = turns.flatMap(({ role, content }) => objects(content).map((block) => said(role as 'user', block, calls)))
  const specs = objects(fields(toolConfig)['tools']).map(({ toolSpec }) => {
    const { name, description, inputSchema } = fields(toolSpec)
    const schema = fields(fields(inputSchema)['json'])
    if (schema['type'] !== 'object') throw new Error('the schema of a tool must be an object')
    return { name: String(name), ...(typeof description === 'string' && { description }), schema }
  })
  const forced = text(fields(fields(fields(toolConfig)['toolChoice'])['tool'])['name'])
  const output = forced === 'json' ? specs.find(({ name }) => name === forced) : undefined
  const tools = specs.filter((one) => one !== output)
  return {
    said: [...objects(system).map((one): ExpectedPart => ({ role: 'system', text: text(one['text']) ?? '' })), ...all],
    ...(tools.length > 0 && { tools }),
    ...(output && { schema: output.schema }),
    ...(fields(fields(additionalModelRequestFields)['reasoningConfig'])['type'] === 'enabled' && { reasoning: true }),
    ...(typeof maxTokens === 'number' && { maxTokens }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof topP === 'number' && { topP }),
    ...(Array.isArray(stopSequences) && { stop: stopSequences.map(String) }),
  }
}

const STOP = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'content_filtered',
  unknown: 'end_turn',
} as const

/** In two pieces, as a stream brings it. */
const halves = (whole: string): string[] => [
  whole.slice(0, Math.ceil(whole.length / 2)),
  whole.slice(Math.ceil(whole.length / 2)),
]

/** What of the input was not read from the cache stands beside it. */
export const write: WireFacts['write'] = ({ text: answer, reasoning, calls, finish, usage }) => {
  const { input = 0, output = 0, cacheRead = 0 } = usage ?? {}
  const counted = {
    inputTokens: input - cacheRead,
    outputTokens: output,
    totalTokens: input + output,
    cacheReadInputTokens: cacheRead,
  }
  const thoughts = reasoning === '' ? [] : [{ reasoningContent: { reasoningText: { text: reasoning } } }]
  const uses = calls.map((call, index) => ({
    toolUse: { toolUseId: `tooluse_${index}`, name: call.name, input: call.arguments },
  }))
  const content = [...thoughts, ...(answer === '' ? [] : [{ text: answer }]), ...uses]
  const stream = [
    { event: 'messageStart', data: { role: 'assistant' } },
    ...content.flatMap((block, contentBlockIndex) => [
      ...('toolUse' in block
        ? [
            {
              event: 'contentBlockStart',
              data: {
                contentBlockIndex,
                start: { toolUse: { toolUseId: block.toolUse.toolUseId, name: block.toolUse.name } },
              },
            },
          ]
        : []),
      ...deltasOf(block).map((delta) => ({ event: 'contentBlockDelta', data: { contentBlockIndex, delta } })),
      { event: 'contentBlockStop', data: { contentBlockIndex } },
    ]),
    { event: 'messageStop', data: { stopReason: STOP[finish] } },
    { event: 'metadata', data: { usage: counted, metrics: { latencyMs: 7 } } },
  ]
  return {
    body: {
      output: { message: { role: 'assistant', content } },
      stopReason: STOP[finish],
      usage: counted,
      metrics: { latencyMs: 7 },
    },
    stream,
  }
}

function deltasOf(block: Json): Json[] {
  const { toolUse, text: answer } = block
  if (object(toolUse)) return halves(JSON.stringify(fields(toolUse)['input'])).map((input) => ({ toolUse: { input } }))
  if (typeof answer === 'string') return halves(answer).map((piece) => ({ text: piece }))
  return halves(String(fields(fields(block['reasoningContent'])['reasoningText'])['text'])).map((piece) => ({
    reasoningContent: { text: piece },
  }))
}

/** A failure within a stream is an exception. */
export const errorFrame = (message: string): VendorFrame => ({
  event: 'modelStreamErrorException',
  data: { message },
  isException: true,
})

/**
 * How the metadata service of a machine gives keys. Written from
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html
 */
export const ofMachine = ({ method, path, headers }: Received): string | object => {
  if (method === 'PUT' && path === '/latest/api/token') return 'session-of-the-machine'
  if (headers['x-aws-ec2-metadata-token'] !== 'session-of-the-machine') throw new Error('401')
  if (path === '/latest/meta-data/iam/security-credentials/') return 'gateway'
  if (!path.endsWith('/gateway')) throw new Error('404')
  return issued()
}

/**
 * How a container's agent gives keys. Written from
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
 */
export const ofContainer = ({ path, headers }: Received): object => {
  if (path !== '/v2/credentials/7' || headers['authorization'] !== 'token-of-the-container') throw new Error('401')
  return issued()
}

function issued(): object {
  const { accessKeyId, secretAccessKey, sessionToken } = keys
  return {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    Token: sessionToken,
    Expiration: new Date(Date.now() + 3_600_000).toISOString(),
  }
}
