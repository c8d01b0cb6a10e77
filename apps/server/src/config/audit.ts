import { z } from 'zod'

const file = z.string().min(1)

const webhook = z.strictObject({
  type: z.literal('webhook').describe('Signed POST of batches with one JSON object per line.'),
  url: z
    .url({ protocol: /^https?$/, error: 'a URL that begins with http:// or https://' })
    .describe('Receiver of the batches.'),
  secret: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, '`whsec_` and at least 24 bytes in base64')
    .describe('Secret that signs batches: `whsec_` and base64.'),
  private: z.boolean().exactOptional().describe('`true` allows a private address. Default: `false`.'),
})

const syslog = z.strictObject({
  type: z.literal('syslog').describe('RFC 5424 over TLS with octet counting (RFC 5425).'),
  host: z.string().min(1).describe('Name or address of the server.'),
  port: z.int().min(1).max(65_535).exactOptional().describe('Default: 6514.'),
  ca: file
    .exactOptional()
    .describe(
      'File with the certificates of the authorities that sign the server’s certificate, in PEM. Default: the authorities of the system.',
    ),
  certificate: file.exactOptional().describe('File with a client certificate, in PEM. Default: none.'),
  key: file.exactOptional().describe('File with the private key of `certificate`, in PEM.'),
})

const otlp = z.strictObject({
  type: z.literal('otlp').describe('Log records of OpenTelemetry, with the event name `headgate.audit`.'),
  url: z
    .url({ protocol: /^https?$/, error: 'a URL that begins with http:// or https://' })
    .exactOptional()
    .describe('Complete URL. Default: the receiver of `telemetry`, or of OTEL_EXPORTER_OTLP_ENDPOINT.'),
  headers: z.record(z.string(), z.string()).exactOptional().describe('Headers of exports. Default: as for traces.'),
})

/** Destination of audit entries. */
export type AuditDestinationConfig = z.output<typeof webhook> | z.output<typeof syslog> | z.output<typeof otlp>

/** Name of a destination, under which its position is stored. */
const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'a name of lower-case letters, digits and dashes')

export const audit = z.strictObject({
  export: z
    .record(name, z.discriminatedUnion('type', [webhook, syslog, otlp]))
    .exactOptional()
    .describe(
      'Destinations of audit entries by name. Each entry is sent at least once, in order. A new name begins with the oldest entry. Changes apply after a restart.',
    ),
})
