import { HeadgateError } from '@headgate/gateway/ports'
import { OPERATOR } from '../management/people.ts'
import { findProject, projectsOf, withAccounts } from './accounts.ts'
import { type Command, configOption, dataDirOption, table, usageError } from './command.ts'
import { day } from './days.ts'

const PLACE = { config: configOption, 'data-dir': dataDirOption }

export const listProjects: Command = {
  name: 'projects list',
  summary: 'lists the projects of keys',
  options: PLACE,
  async run(context) {
    await withAccounts(context, async ({ accounts }) => {
      const rows = (await projectsOf({ accounts })).map(({ id, name, createdAt, archivedAt }) => [
        ...[id, name, day(createdAt)],
        archivedAt === undefined ? 'open' : `archived ${day(archivedAt)}`,
      ])
      context.print(table(['ID', 'NAME', 'CREATED', 'STATE'], rows))
    })
  },
}

export const createProject: Command = {
  name: 'projects create',
  words: '<name>',
  summary: 'creates a project and prints its id',
  options: PLACE,
  async run(context) {
    const [name, ...more] = context.words
    if (!name || more.length > 0) throw usageError('projects create takes one name.')
    await withAccounts(context, async ({ accounts }) => {
      const { FIRST_ORGANIZATION } = await import('@headgate/accounts')
      const { id } = await accounts.createProject(OPERATOR, FIRST_ORGANIZATION, name).catch(withHint)
      context.print(`${id}\n`)
    })
  },
}

export const archiveProject: Command = {
  name: 'projects archive',
  words: '<id or name>',
  summary: 'archives a project: its keys keep working, but no new ones can be created',
  options: { undo: { type: 'boolean', help: 'restore the project, named by its id' }, ...PLACE },
  async run(context) {
    const [reference, ...more] = context.words
    if (!reference || more.length > 0)
      throw usageError('projects archive takes one id or name. List the projects with `headgate projects list`.')
    const archived = context.values['undo'] !== true
    await withAccounts(context, async ({ accounts }) => {
      const { FIRST_ORGANIZATION } = await import('@headgate/accounts')
      const { id, name } = findProject(await projectsOf({ accounts }), reference)
      await accounts.changeProject(OPERATOR, FIRST_ORGANIZATION, id, { archived })
      context.note(`Project ${id} (${name}) is ${archived ? 'archived' : 'open again'}.\n`)
    })
  },
}

export const shareProject: Command = {
  name: 'projects share',
  words: '<id or name>',
  summary: 'shares stored responses among all keys of a project; the audit log records each use',
  options: { undo: { type: 'boolean', help: 'stop sharing stored responses' }, ...PLACE },
  async run(context) {
    const [reference, ...more] = context.words
    if (!reference || more.length > 0)
      throw usageError('projects share takes one id or name. List the projects with `headgate projects list`.')
    const sharesResponses = context.values['undo'] !== true
    await withAccounts(context, async ({ accounts }) => {
      const { FIRST_ORGANIZATION } = await import('@headgate/accounts')
      const { id, name } = findProject(await projectsOf({ accounts }), reference)
      await accounts.changeProject(OPERATOR, FIRST_ORGANIZATION, id, { sharesResponses })
      context.note(
        `Keys of the project ${id} (${name}) ${sharesResponses ? 'share' : 'no longer share'} their stored responses.\n`,
      )
    })
  },
}

/** Rethrows an error. A missing organization gets a hint, because the first account creates it. */
function withHint(error: unknown): never {
  if (!HeadgateError.is(error) || error.kind !== 'not-found') throw error
  throw new HeadgateError(
    'not-found',
    'There are no projects before the first account. Create it with `headgate users add` or `headgate users first-link`.',
  )
}
