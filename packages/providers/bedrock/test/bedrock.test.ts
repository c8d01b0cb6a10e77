import { framings, type Received, type SignatureFacts, type StreamFraming, testProvider } from '@headgate/conformance'
import { signV4 } from '@headgate/core/credentials'
import { bedrock } from '../src/index.ts'
import { errorFrame, keys, ofContainer, ofMachine, REGION, read, write } from './vendor.ts'

/**
 * Whether AWS would take the signature: made anew from what arrived. That it is AWS's own, `signature.test.ts` shows.
 */
function isSigned({ method, path, query, headers, raw }: Received): boolean {
  const url = new URL(`http://${headers['host']}${path}${query.size > 0 ? `?${query}` : ''}`)
  const at = headers['x-amz-date']?.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z') ?? ''
  const given = { method, url, headers: { 'content-type': headers['content-type'] ?? '' }, body: raw }
  return (
    signV4(given, keys, { service: 'bedrock', region: REGION }, new Date(at))['authorization'] ===
    headers['authorization']
  )
}

const amazon: SignatureFacts = {
  headers: ['authorization', 'x-amz-date', 'x-amz-security-token'],
  isRight: isSigned,
  secrets: [keys.secretAccessKey, keys.sessionToken],
}

const converse = {
  path: { whole: '/model/{model}/converse', stream: '/model/{model}/converse-stream' },
  frame: 'aws-event-stream',
  read,
  write,
  errorFrame,
} as const
const region = REGION

testProvider(bedrock, {
  config: { region, apiKey: 'zebra.of.the.amazon' },
  model: 'eu.amazon.nova-2-lite-v1:0',
  upstream: { ...converse, credential: { header: 'authorization', value: 'Bearer zebra.of.the.amazon' } },
})

testProvider(bedrock, {
  config: { region, ...keys },
  model: 'eu.amazon.nova-2-lite-v1:0',
  upstream: { ...converse, credential: amazon },
})

testProvider(bedrock, {
  config: { region, machine: true },
  model: 'eu.amazon.nova-2-lite-v1:0',
  upstream: { ...converse, credential: { ...amazon, issue: ofMachine } },
})

testProvider(bedrock, {
  config: { region, containerPath: '/v2/credentials/7', containerToken: 'token-of-the-container' },
  model: 'eu.amazon.nova-2-lite-v1:0',
  upstream: { ...converse, credential: { ...amazon, issue: ofContainer } },
})

testProvider(bedrock, {
  config: { region, apiKey: 'zebra.of.the.amazon' },
  // A model without facts: images are sent.
  model: 'openai.gpt-oss-9b-1:0',
  upstream: {
    format: 'chat-completions',
    path: '/openai/v1/chat/completions',
    credential: { header: 'authorization', value: 'Bearer zebra.of.the.amazon' },
  },
})

/** Claude's own events, each in the base64 of a chunk that is padded. */
const chunks: StreamFraming = {
  ...framings['aws-event-stream'],
  write: ({ data }) => {
    const bytes = Buffer.from(typeof data === 'string' ? data : JSON.stringify(data)).toString('base64')
    return framings['aws-event-stream'].write({ event: 'chunk', data: { bytes, p: 'abcdefgh' } })
  },
}

// Written from https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html
testProvider(bedrock, {
  config: { region, apiKey: 'zebra.of.the.amazon' },
  model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  upstream: {
    format: 'messages',
    path: { whole: '/model/{model}/invoke', stream: '/model/{model}/invoke-with-response-stream' },
    frame: chunks,
    forward: ['anthropic-beta'],
    credential: { header: 'authorization', value: 'Bearer zebra.of.the.amazon' },
  },
})
