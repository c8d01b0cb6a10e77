import { AssumeRoleCommand, AssumeRoleWithWebIdentityCommand, STSClient } from '@aws-sdk/client-sts'

/** Request of the SDK, before it would be sent. */
interface SdkRequest {
  readonly method: string
  readonly protocol: string
  readonly hostname: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Program that prints the requests of AWS's own SDK as JSON; none is sent. Its arguments are the time, and an action and
 * its input in JSON. It runs in a separate process, because the SDK's packages cannot be loaded with the condition `module`,
 * which the tests have.
 */
const [now = '', action = '', input = '{}'] = process.argv.slice(2)
const requestHandler = {
  handle({ method, protocol, hostname, path, headers, body }: SdkRequest): Promise<never> {
    process.stdout.write(JSON.stringify({ method, url: `${protocol}//${hostname}${path}`, headers, body }))
    return Promise.reject(new Error('not sent'))
  },
}
const client = new STSClient({
  region: 'eu-west-1',
  credentials: { accessKeyId: 'AKIA1', secretAccessKey: 'secret' },
  requestHandler: requestHandler as never,
  maxAttempts: 1,
  systemClockOffset: Date.parse(now) - Date.now(),
})
const command =
  action === 'AssumeRole'
    ? new AssumeRoleCommand(JSON.parse(input))
    : new AssumeRoleWithWebIdentityCommand(JSON.parse(input))
await client.send(command as AssumeRoleCommand).catch(() => {})
