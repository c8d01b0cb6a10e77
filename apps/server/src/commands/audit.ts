import type { AuditChain, ChainProblem, VerifiedUpTo } from '@headgate/accounts'
import { HeadgateError } from '@headgate/gateway/ports'
import { type CommandAccounts, withOperator } from './accounts.ts'
import { type Command, dataDirOption, table, usageError } from './command.ts'

export const verifyAudit: Command = {
  name: 'audit verify',
  summary: 'verifies that no entry of the audit log was removed or changed; exits with 1 otherwise',
  options: { 'data-dir': dataDirOption },
  async run(context) {
    if (context.words.length > 0) throw usageError('audit verify takes no words.')
    await withOperator(context, async ({ accounts }) => {
      const rows: string[][] = []
      let broken: ChainProblem | undefined
      for (const chain of await accounts.auditChains()) {
        const { entries, problem } = await checkChain(accounts, chain)
        broken ??= problem
        rows.push([chain.organization || '-', String(entries), String(chain.newest), stateOf(problem)])
      }
      context.print(table(['ORGANIZATION', 'VERIFIED', 'NEWEST', 'STATE'], rows))
      if (broken) throw new HeadgateError('conflict', `The audit log is damaged: entry ${stateOf(broken)}.`)
    })
  },
}

async function checkChain(
  accounts: CommandAccounts['accounts'],
  { organization }: AuditChain,
): Promise<{ readonly entries: number; readonly problem: ChainProblem | undefined }> {
  let entries = 0
  let from: VerifiedUpTo | undefined
  do {
    const check = await accounts.verifyChain(organization, from)
    entries += check.entries
    if (check.problem) return { entries, problem: check.problem }
    from = check.next
  } while (from)
  return { entries, problem: undefined }
}

function stateOf(problem: ChainProblem | undefined): string {
  if (!problem) return 'intact'
  return `${problem.number} ${problem.kind === 'missing' ? 'is missing' : 'was changed'}`
}
