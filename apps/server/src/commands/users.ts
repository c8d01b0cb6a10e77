import type { Member, Role } from '@headgate/accounts'
import { ROLES } from '../config/accounts.ts'
import { OPERATOR } from '../management/people.ts'
import { firstLink as firstLinkOf, linkOf } from '../service/first-link.ts'
import { findPerson, portOption, withAccounts } from './accounts.ts'
import {
  type Command,
  type CommandContext,
  configOption,
  dataDirOption,
  stringFlag,
  table,
  usageError,
} from './command.ts'
import { day } from './days.ts'

const PLACE = { config: configOption, 'data-dir': dataDirOption }

export const firstLink: Command = {
  name: 'users first-link',
  summary: 'prints a link to create the first account; it works once, for 7 days',
  options: { port: portOption, ...PLACE },
  async run(context) {
    await withAccounts(context, async ({ accounts, address }) => {
      const link = await firstLinkOf(accounts, address)
      if (link === undefined) throw usageError('An account already exists. Add another one with `headgate users add`.')
      context.print(`${link}\n`)
    })
  },
}

export const addUser: Command = {
  name: 'users add',
  words: '<mail address>',
  summary: 'creates an account and prints a link to set its password; it works once, for one hour',
  options: {
    name: { type: 'string', value: 'text', help: 'display name (default: the part before the @)' },
    role: {
      type: 'string',
      value: 'role',
      help: 'owner, admin, member or viewer (default member; owner for the first account)',
    },
    port: portOption,
    ...PLACE,
  },
  async run(context) {
    const email = onlyWord(context, 'users add takes one mail address.')
    const role = roleOf(stringFlag(context, 'role'))
    const name = stringFlag(context, 'name') ?? email.slice(0, Math.max(email.lastIndexOf('@'), 1))
    await withAccounts(context, async ({ accounts, address: { url } }) => {
      const { token, person } = await accounts.addByOperator(OPERATOR, { email, name, ...(role && { role }) })
      context.print(`${linkOf(url, 'reset', token)}\n`)
      context.note(
        `Created account ${person}. The link works once, for one hour; \`headgate users reset\` prints a new one.\n`,
      )
    })
  },
}

export const listUsers: Command = {
  name: 'users list',
  summary: 'lists the users',
  options: PLACE,
  async run(context) {
    await withAccounts(context, async ({ accounts }) => {
      const { FIRST_ORGANIZATION } = await import('@headgate/accounts')
      const [people, members] = [
        await accounts.listPeople(OPERATOR),
        await accounts.listMembers(OPERATOR, FIRST_ORGANIZATION),
      ]
      const roles = new Map(members.map(({ person, role }: Member) => [person, role]))
      const rows = people.map(({ id, email = '', name, createdAt, hasPassword, disabledAt }) => [
        ...[id, email, name, roles.get(id) ?? '', day(createdAt), hasPassword ? 'yes' : 'no'],
        disabledAt === undefined ? 'active' : `disabled ${day(disabledAt)}`,
      ])
      context.print(table(['ID', 'MAIL', 'NAME', 'ROLE', 'CREATED', 'PASSWORD', 'STATE'], rows))
    })
  },
}

export const resetUser: Command = {
  name: 'users reset',
  words: '<id or mail address>',
  summary: 'prints a link to set a new password; it works once, for one hour',
  options: { port: portOption, ...PLACE },
  async run(context) {
    const reference = onlyWord(
      context,
      'users reset takes one id or mail address. List the users with `headgate users list`.',
    )
    await withAccounts(context, async ({ accounts, address: { url } }) => {
      const { id, email } = await findPerson({ accounts }, reference)
      if (email === undefined)
        throw usageError(`${id} has no mail address and signs in only through an identity provider.`)
      const { token } = await accounts.resetByOperator(OPERATOR, email)
      context.print(`${linkOf(url, 'reset', token)}\n`)
    })
  },
}

export const disableUser: Command = {
  name: 'users disable',
  words: '<id or mail address>',
  summary: 'disables a user: sessions end, keys stop working, and sign-in is refused',
  options: { undo: { type: 'boolean', help: 'enable the user and their keys again' }, ...PLACE },
  async run(context) {
    const reference = onlyWord(
      context,
      'users disable takes one id or mail address. List the users with `headgate users list`.',
    )
    const isDisabled = context.values['undo'] !== true
    await withAccounts(context, async ({ accounts }) => {
      const { id } = await findPerson({ accounts }, reference)
      await accounts.disablePerson(OPERATOR, id, isDisabled)
      context.note(
        isDisabled
          ? `${id} can no longer sign in, and their keys no longer work. List these keys with \`headgate keys list --stopped\`.\n`
          : `${id} can sign in again, and their keys work.\n`,
      )
    })
  },
}

function onlyWord({ words: [word, ...more] }: CommandContext, sentence: string): string {
  if (!word || more.length > 0) throw usageError(sentence)
  return word
}

function roleOf(text: string | undefined): Role | undefined {
  const role = ROLES.find((one) => one === text)
  if (text === undefined || role) return role
  throw usageError(`--role: found ${JSON.stringify(text)}; allowed: ${ROLES.join(', ')}`)
}
