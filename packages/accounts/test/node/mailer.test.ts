import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMailer, type SmtpConfig } from '../../src/node/mailer.ts'

interface Taken {
  readonly to: string
  readonly text: string
}

interface Manners {
  /** What it says to the sender of the nth mail; default yes. */
  readonly answers?: readonly string[]
  /** Who may sign in: AUTH PLAIN. */
  readonly login?: string
  /** Default 127.0.0.1, which needs no TLS. */
  readonly host?: string
}

/** A mail server that speaks as RFC 5321 has it, as far as one mail needs it. */
async function startMailServer({ answers = [], login, host = '127.0.0.1' }: Manners = {}) {
  const taken: Taken[] = []
  const sockets = new Set<Socket>()
  const told: string[] = []
  let nth = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let [buffer, to, text, isText] = ['', '', '', false]
    const obey = (line: string): string | undefined => {
      if (isText) {
        if (line !== '.') {
          text += `${line}\n`
          return undefined
        }
        isText = false
        taken.push({ to, text })
        text = ''
        return '250 taken'
      }
      told.push(line)
      const [verb = '', , credential] = line.split(' ')
      if (verb === 'EHLO') return login === undefined ? '250 here' : '250-here\r\n250 AUTH PLAIN'
      if (verb === 'AUTH') return credential === login ? '235 yes' : '535 5.7.8 no, ada@example.com'
      if (verb === 'STARTTLS') return '502 no'
      if (verb === 'MAIL') return answers[nth++] ?? '250 yes'
      if (verb === 'RCPT') to = line
      if (verb === 'DATA') isText = true
      return verb === 'DATA' ? '354 go on' : '250 yes'
    }
    socket.write('220 here\r\n')
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      buffer += chunk
      const lines = buffer.split('\r\n')
      buffer = lines.pop() ?? ''
      for (const line of lines) {
        const reply = obey(line)
        if (reply !== undefined) socket.write(`${reply}\r\n`)
      }
    })
  })
  server.listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port } = server.address() as AddressInfo
  const smtp: SmtpConfig = { host, port, from: 'Headgate <headgate@example.com>' }
  return { smtp, taken, told }
}

function mailer(smtp: SmtpConfig, again = [1, 1]) {
  const one = createMailer({ smtp, url: 'https://headgate.example', again })
  onTestFinished(() => one.close())
  return one
}

const LINK = 'https://headgate.example/#/reset?token=0123456789'

describe('mail', () => {
  it('holds the link, and is for one address', async () => {
    const { smtp, taken } = await startMailServer()
    await mailer(smtp).send({ to: 'ada@example.com', kind: 'reset', link: LINK })
    expect(taken).toEqual([{ to: 'RCPT TO:<ada@example.com>', text: expect.any(String) }])
    const [{ text } = { text: '' }] = taken
    expect(text).toMatch(/^From: Headgate <headgate@example.com>$/m)
    expect(text).toMatch(/^To: ada@example.com$/m)
    expect(text.replaceAll('=\n', '').replaceAll('=3D', '=')).toContain(LINK)
    expect(text).toContain('within one hour')
  })

  it('is tried again where the server says later, and given up where it says no', async () => {
    const later = await startMailServer({ answers: ['451 busy', '451 busy'] })
    await mailer(later.smtp).send({ to: 'ada@example.com', kind: 'invite', link: LINK })
    expect(later.taken).toHaveLength(1)

    const never = await startMailServer({ answers: ['550 ada@example.com is nobody'] })
    const refused = mailer(never.smtp).send({ to: 'ada@example.com', kind: 'known' })
    await expect(refused).rejects.toThrow(/^A mail \(known\) was not sent: mail server error E\w+ 550\./)
    await expect(refused).rejects.not.toThrow('ada@example.com')
    expect(never.taken).toEqual([])
  })

  it('goes to a server that wants to know who sends it', async () => {
    const login = Buffer.from('\0me\0hunter2').toString('base64')
    const { smtp, taken } = await startMailServer({ login })
    await mailer({ ...smtp, user: 'me', password: 'hunter2' }).send({ to: 'ada@example.com', kind: 'known' })
    expect(taken).toHaveLength(1)
    const wrong = mailer({ ...smtp, user: 'me', password: 'hunter3' }).send({ to: 'ada@example.com', kind: 'known' })
    await expect(wrong).rejects.toThrow('mail server error EAUTH 535')
  })

  it('does not go without TLS to a server that others may listen to', async () => {
    // The same machine, by an address that is not known for it.
    const { smtp, told, taken } = await startMailServer({ host: '127.0.0.2' })
    const mail = { to: 'ada@example.com', kind: 'reset', link: LINK } as const
    await expect(mailer(smtp).send(mail)).rejects.toThrow('mail server error ETLS')
    expect(told.some((line) => line.startsWith('EHLO'))).toBe(true)
    expect(told.some((line) => line.startsWith('MAIL'))).toBe(false)
    await mailer({ ...smtp, secure: false }).send(mail)
    expect(taken).toHaveLength(1)
  })

  it('goes to one address ten times an hour at most', async () => {
    const { smtp, taken } = await startMailServer()
    const { send } = mailer(smtp)
    const sent = await Promise.allSettled(
      Array.from({ length: 12 }, () => send({ to: 'Ada@example.com', kind: 'reset', link: LINK })),
    )
    expect(sent.filter(({ status }) => status === 'rejected')).toHaveLength(2)
    await send({ to: 'bob@example.com', kind: 'reset', link: LINK })
    expect(taken).toHaveLength(11)
  })

  it('waits for nobody who is not there', async () => {
    const { smtp } = await startMailServer()
    const sent = mailer({ ...smtp, port: 1 }, []).send({ to: 'ada@example.com', kind: 'known' })
    await expect(sent).rejects.toThrow(/mail server error E\w+\./)
  })
})
