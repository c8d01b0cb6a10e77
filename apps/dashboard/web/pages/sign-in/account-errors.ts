export interface NewAccount {
  readonly email: string
  readonly name: string
  readonly password: string
}

/** Minimum length of a password, as in the API. */
const LEAST = 12

/** Errors of all fields of a new account. */
export function accountErrors(
  { email, name, password }: NewAccount,
  hasEmail: boolean,
): Partial<Readonly<Record<keyof NewAccount, string>>> {
  return {
    ...(hasEmail &&
      !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim()) && {
        email: 'Enter an email address, such as ada@example.com.',
      }),
    ...(name.trim() === '' && { name: 'Enter a name.' }),
    ...([...password].length < LEAST && { password: `Enter at least ${LEAST} characters.` }),
  }
}
