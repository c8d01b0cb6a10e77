import { framings, type Received, type SignatureFacts, type StreamFraming, testProvider } from '@headgate/conformance'
import { signV4 } from '@headgate/core/credentials'
import { sagemaker } from '../src/index.ts'

const region = 'eu-central-1'
const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'zebra.of.the.maker', sessionToken: 'panther.of.the.maker' }

/** Whether AWS would take the signature: made anew from what arrived. */
function isSigned({ method, path, query, headers, raw }: Received): boolean {
  const url = new URL(`http://${headers['host']}${path}${query.size > 0 ? `?${query}` : ''}`)
  const at = headers['x-amz-date']?.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z') ?? ''
  const given = { method, url, headers: { 'content-type': headers['content-type'] ?? '' }, body: raw }
  return (
    signV4(given, keys, { service: 'sagemaker', region }, new Date(at))['authorization'] === headers['authorization']
  )
}

const credential: SignatureFacts = {
  headers: ['authorization', 'x-amz-date', 'x-amz-security-token'],
  isRight: isSigned,
  secrets: [keys.secretAccessKey, keys.sessionToken],
}

const path = { whole: '/endpoints/{model}/invocations', stream: '/endpoints/{model}/invocations-response-stream' }
const part = (data: string) => framings['aws-event-stream'].write({ event: 'PayloadPart', data })

/**
 * Each event of the container in two parts, cut within its JSON.
 * Written from https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_ResponseStream.html
 */
const parts = (prefix: string, end: string): StreamFraming => ({
  ...framings['aws-event-stream'],
  write({ data }) {
    const line = `${prefix}${typeof data === 'string' ? data : JSON.stringify(data)}${end}`
    const middle = Math.ceil(line.length / 2)
    return Buffer.concat([part(line.slice(0, middle)), part(line.slice(middle))])
  },
})

// Containers of vLLM and TGI. Written from https://huggingface.co/docs/text-generation-inference/messages_api
testProvider(sagemaker, {
  config: { region, ...keys },
  model: 'herd-endpoint',
  upstream: {
    format: 'chat-completions',
    path,
    credential,
    frame: parts('data: ', '\n\n'),
    refuses: ['max_completion_tokens'],
  },
})

// LMI. Written from https://docs.djl.ai/docs/serving/serving/docs/lmi/user_guides/chat_input_output_schema.html
testProvider(sagemaker, {
  config: { region, ...keys },
  model: 'herd-endpoint',
  upstream: {
    format: 'chat-completions',
    path,
    credential,
    frame: parts('', '\n'),
    refuses: ['max_completion_tokens'],
  },
})
