import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type { ManagementParts } from '../src/api/parts.ts'
import { mailStatements } from '../src/api/statement-mail.ts'
import { createMailer } from '../src/node/mailer.ts'
import type { AccountsConnection } from '../src/schema/tables.ts'
import { audited, claim, describeStores, join, type Opened, openOver, START, SYSTEM, stores } from './support/opened.ts'

const ORG = 'org_default'
const HOUR = 3_600_000
/** START is on 2023-11-14. */
const DECEMBER = Date.UTC(2023, 11, 1)
const POINT = {
  start: START,
  names: ['prj_default', 'm1'],
  counts: {
    requests: 3,
    unpriced: 0,
    usage_unknown: 0,
    input: 10,
    output: 5,
    cache_read: 0,
    cache_write: 0,
  },
  failed: 0,
  cost: '1000000000',
  charged: '1500000000',
  held: '0',
}

interface Sent {
  readonly to: string
  readonly text: string
}

/** Mail server that rejects the first mails with the given responses. */
async function startSmtp(answers: readonly string[] = []) {
  const sent: Sent[] = []
  const sockets = new Set<Socket>()
  let nth = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let [buffer, to, text, isText] = ['', '', '', false]
    const reply = (line: string): string | undefined => {
      if (isText && line !== '.') {
        text += `${line}\n`
        return undefined
      }
      if (isText) {
        isText = false
        sent.push({ to, text })
        text = ''
        return '250 taken'
      }
      const verb = line.split(' ', 1)[0]
      if (verb === 'MAIL') return answers[nth++] ?? '250 yes'
      if (verb === 'RCPT') to = line
      if (verb === 'DATA') isText = true
      return verb === 'DATA' ? '354 go on' : verb === 'STARTTLS' ? '502 no' : '250 yes'
    }
    socket.write('220 here\r\n')
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      buffer += chunk
      const lines = buffer.split('\r\n')
      buffer = lines.pop() ?? ''
      for (const line of lines) {
        const answer = reply(line)
        if (answer !== undefined) socket.write(`${answer}\r\n`)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port } = server.address() as AddressInfo
  const smtp = { host: '127.0.0.1', port, from: 'Headgate <headgate@example.com>' }
  return { sent, smtp }
}

/** Parts of one process over the accounts, which mails through a real client. */
function processOf(accounts: Opened, smtp: Awaited<ReturnType<typeof startSmtp>>['smtp']) {
  const mailer = createMailer({ smtp, url: 'https://headgate.example', again: [] })
  onTestFinished(() => mailer.close())
  const problems: string[] = []
  const parts = {
    accounts: { ...accounts, providers: [], close: async () => {} },
    usage: {
      dayZone: async () => 'UTC',
      groups: async () => [POINT],
      namesOf: async () => ({ prj_default: 'default' }),
      upstreamTotals: async () => [],
    },
    origins: ['https://headgate.example'],
    mail: mailer.send,
    now: accounts.parts.now,
    onProblem: (message: string) => void problems.push(message),
  } as unknown as ManagementParts
  return { mail: () => mailStatements(parts), problems }
}

describeStores(stores(), 'Mails with statements in $name', ({ open }) => {
  const opened = async (answers: readonly string[] = []) => {
    const accounts = await open()
    const owner = await claim(accounts)
    const viewer = await join(accounts, 'viewer', 'vera')
    const server = await startSmtp(answers)
    const statementMail = [{ person: owner.id }, { person: viewer.id, project: 'prj_default' }]
    await accounts.changeOrganization(owner, ORG, { statementMail })
    const until = (at: number) => accounts.later(at - accounts.parts.now())
    return { accounts, owner, viewer, server, until, ...processOf(accounts, server.smtp) }
  }

  it('go to each recipient once, an hour after the month has ended, with the amounts as CSV', async () => {
    const { accounts, server, until, mail } = await opened()
    await mail()
    until(DECEMBER + HOUR - 1)
    await mail()
    expect(server.sent).toEqual([])
    until(DECEMBER + HOUR)
    const other = processOf(
      openOver(accounts.parts.connection as AccountsConnection, { parts: accounts.parts }),
      server.smtp,
    )
    await Promise.all([mail(), other.mail(), mail()])
    until(DECEMBER + 20 * 24 * HOUR)
    await mail()
    expect(server.sent.map(({ to }) => to).sort()).toEqual([
      'RCPT TO:<owner@example.com>',
      'RCPT TO:<vera@example.com>',
    ])
    const text = server.sent[0]?.text.replaceAll('=\n', '') ?? ''
    expect(text).toContain('Subject: Headgate: statement for 2023-11')
    expect(text).toContain('$1.5 for 3 requests.')
    expect(text).toContain('filename=headgate-statement-2023-11.csv')
    const base64 = /base64\n(?:[\w-]+:.*\n)*\n([\w+/=\n]+)/.exec(text)?.[1] ?? ''
    expect(`${Buffer.from(base64, 'base64')}${text}`).toMatch(/usage,2023-11,UTC,prj_default,default,,m1,3,/)
    expect((await audited(accounts)).filter((one) => one.startsWith('statement'))).toEqual([
      'statement.mail',
      'statement.mail',
    ])
    until(Date.UTC(2024, 0, 2))
    await mail()
    expect(server.sent).toHaveLength(4)
  })

  it('are sent again after a failure, and given up with a message to the operator', async () => {
    const { server, until, mail, problems, accounts, owner } = await opened(Array.from({ length: 13 }, () => '550 no'))
    await accounts.changeOrganization(owner, ORG, { statementMail: [{ person: owner.id }] })
    let at = DECEMBER + HOUR
    for (let tries = 1; tries <= 12; tries += 1) {
      until(at)
      await mail()
      expect(problems).toHaveLength(tries < 12 ? 0 : 1)
      await mail()
      at += 7 * HOUR
    }
    expect(server.sent).toEqual([])
    expect(problems[0]).toContain('2023-11')
    expect(problems[0]).not.toContain('owner@example.com')
  })

  it('are sent by another process if one ends while it sends', async () => {
    const { accounts, server, until, mail } = await opened()
    until(DECEMBER + HOUR)
    const taken = await accounts.takeStatements(SYSTEM, { month: '2023-11', to: DECEMBER })
    expect(taken.map(({ email }) => email).sort()).toEqual(['owner@example.com', 'vera@example.com'])
    await mail()
    expect(server.sent).toEqual([])
    until(DECEMBER + 2 * HOUR)
    await mail()
    expect(server.sent).toHaveLength(2)
  })

  it('go to nobody who has left, and not for months before the setting', async () => {
    const { accounts, owner, viewer, server, until, mail } = await opened()
    await accounts.removeMember(owner, ORG, viewer.id)
    until(DECEMBER + HOUR)
    await mail()
    expect(server.sent.map(({ to }) => to)).toEqual(['RCPT TO:<owner@example.com>'])
    expect(await audited(accounts)).toContain('statement.mail refused')
    const late = await join(accounts, 'admin', 'lara')
    await accounts.changeOrganization({ ...owner, strongAt: accounts.parts.now() }, ORG, {
      statementMail: [{ person: owner.id }, { person: late.id }],
    })
    await mail()
    expect(server.sent).toHaveLength(1)
  })

  it('are set for members with a mail address, and for projects of the organization', async () => {
    const { accounts, owner } = await opened()
    for (const [statementMail, param] of [
      [[{ person: 'usr_nobody' }], 'statementMail[0].person'],
      [[{ person: owner.id, project: 'prj_other' }], 'statementMail[0].project'],
    ] as const)
      await expect(accounts.changeOrganization(owner, ORG, { statementMail })).rejects.toMatchObject({
        kind: 'invalid-request',
        param,
      })
    const none = await accounts.changeOrganization(owner, ORG, { statementMail: [] })
    expect(none.statementMail).toBeUndefined()
  })
})
