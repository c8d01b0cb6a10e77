import { z } from 'zod'
import type { Codec } from '../../../src/codec.ts'
import { type AwsKeys, sigV4 } from '../../../src/credentials.ts'
import {
  baseUrl,
  type Call,
  defineProvider,
  type Json,
  type Lease,
  next,
  object,
  parse,
} from '../../../src/provider.ts'

const METADATA = 'http://169.254.169.254'
const isClaude = (model: string): boolean => model.includes('claude')

/**
 * Keys of the machine, over two requests. @see
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html
 */
const keysOfTheMachine = (role: string): Lease<AwsKeys> => ({
  hosts: [METADATA],
  obtain: {
    request: () => ({
      method: 'PUT',
      url: `${METADATA}/latest/api/token`,
      headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' },
    }),
    response({ body }, earlier) {
      const url = `${METADATA}/latest/meta-data/iam/security-credentials/${role}`
      if (earlier.length === 0)
        return next({ method: 'GET', url, headers: { 'x-aws-ec2-metadata-token': String(body) } })
      const { AccessKeyId, SecretAccessKey, Token, Expiration } = object(body) ?? {}
      const keys = {
        accessKeyId: String(AccessKeyId),
        secretAccessKey: String(SecretAccessKey),
        sessionToken: String(Token),
      }
      return { ...keys, expiresAt: new Date(String(Expiration)) }
    },
  },
  secrets: ({ secretAccessKey, sessionToken }) => [secretAccessKey, ...(sessionToken ? [sessionToken] : [])],
})

/** Signed bytes, a binary framing within a format of core, and a format that the package brings. */
export const bedrock = (converse: Codec) =>
  defineProvider(
    {
      id: 'bedrock',
      title: 'Amazon Bedrock',
      config: z.strictObject({ region: z.string(), role: z.string(), baseUrl: baseUrl.optional() }),
      env: { region: ['AWS_REGION', 'AWS_DEFAULT_REGION'], role: ['AWS_ROLE'], baseUrl: ['BEDROCK_BASE_URL'] },
    },
    ({ region, role, ...given }) => {
      const path = (unary: string, stream: string) => (call: Call) =>
        `/model/${encodeURIComponent(call.model)}/${call.stream ? stream : unary}`
      return {
        baseUrl: given.baseUrl ?? `https://bedrock-runtime.${region}.amazonaws.com`,
        credential: sigV4({ service: 'bedrock', region, keys: keysOfTheMachine(role) }),
        chat: [
          {
            format: 'messages',
            speaks: isClaude,
            path: path('invoke', 'invoke-with-response-stream'),
            framing: 'aws-event-stream',
            patchFrame: ({ json: { bytes } }) => (typeof bytes === 'string' ? (parse(atob(bytes)) as Json) : undefined),
            patchRequest: ({ model, stream, ...body }) => ({ ...body, anthropic_version: 'bedrock-2023-05-31' }),
            signer: 'claude',
          },
          { format: converse, path: path('converse', 'converse-stream'), framing: 'aws-event-stream' },
        ],
      }
    },
  )
