/** Length of the kit's recording. Vendors report another length, so that the two differ in usage. */
export const RECORDED_MS = 1_000

/** Name of the recording, with a space and an umlaut. */
export const FILENAME = 'Gespräch 1.wav'
export const FILE_TYPE = 'audio/wav'

/** A second of sound in WAV whose samples have all bytes, line ends and the beginning of a boundary. */
export const RECORDING: Buffer = recording()

function recording(): Buffer {
  const samples = 8_000
  const data = Buffer.alloc(samples * 2)
  for (let at = 0; at < data.length; at++) data[at] = (at * 7 + (at >> 8)) & 0xff
  data.write('\r\n--\r\n------formdata\r\n\r\n', 1_000, 'latin1')
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + data.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(samples, 24)
  head.writeUInt32LE(samples * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(data.length, 40)
  return Buffer.concat([head, data])
}

const BOUNDARY = 'headgate-conformance-7f3a'

/** Request of a caller for a transcript of the recording. The model comes last, as some clients send it. */
export function question(model: string, fields: readonly (readonly [name: string, value: string])[] = []) {
  const part = (head: string, content: Uint8Array | string): Buffer =>
    Buffer.concat([
      Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ])
  const bytes = Buffer.concat([
    part(`name="file"; filename="${FILENAME}"\r\ncontent-type: ${FILE_TYPE}`, RECORDING),
    ...[...fields, ['model', model] as const].map(([name, value]) => part(`name="${name}"`, value)),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ])
  return { path: '/v1/audio/transcriptions', form: { bytes, type: `multipart/form-data; boundary=${BOUNDARY}` } }
}
