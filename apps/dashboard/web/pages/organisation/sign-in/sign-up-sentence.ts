import type { AnswerOf } from '../../../api/ask.ts'

/** Who may make an account, in a sentence. */
export function signUpSentence({ signUp, domains }: Pick<AnswerOf<'GET /organisation'>, 'signUp' | 'domains'>): string {
  if (signUp === 'invite') return 'Only who is invited, or comes by a provider that says their role.'
  if (domains.length === 0) return 'Nobody by themselves: sign-up is open to no domain.'
  return `Everybody with a mail address of ${domains.join(', ')} becomes a member.`
}

/** Domains as they are typed: by lines, commas or spaces, each once. */
export function domainsOf(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((one) => one !== ''))]
}
