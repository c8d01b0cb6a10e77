import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type AnswerOf, ask } from '../../../api/ask.ts'
import { organizationQuery, waysInQuery } from '../../../api/queries.ts'
import { Button } from '../../../components/button.tsx'
import { SelectField, TextArea } from '../../../components/field.tsx'
import { fieldError } from '../../../components/form.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { Section } from '../../../components/page.tsx'
import { Failed, Note, Skeleton } from '../../../components/states.tsx'
import { toast } from '../../../components/toasts.tsx'
import { confirmed } from '../../../confirm/confirmed.ts'

type Organization = AnswerOf<'GET /organization'>

/** Who may make an account without being invited. */
export function SignUp({ mayChange }: { readonly mayChange: boolean }) {
  const { data, error, refetch } = useQuery(organizationQuery)
  const [isChanging, change] = useState(false)
  return (
    <Section
      title="Who may sign up"
      actions={
        mayChange &&
        data && (
          <Button look="quiet" onClick={() => change(true)}>
            Change who may
          </Button>
        )
      }
    >
      {data ? (
        <p>{signUpSentence(data)}</p>
      ) : error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton rows={1} />
      )}
      {!mayChange && <p className="mt-2 text-small text-muted">Owners change it.</p>}
      {isChanging && data && <ChangeSignUp of={data} onClose={() => change(false)} />}
    </Section>
  )
}

const CHOICES = [
  { value: 'invite', title: 'only who is invited' },
  { value: 'open', title: 'everybody with a mail address of these domains' },
] as const

function ChangeSignUp({ of, onClose }: { readonly of: Organization; onClose(): void }) {
  const client = useQueryClient()
  const canMail = useQuery(waysInQuery).data?.canMail
  const [signUp, setSignUp] = useState(of.signUp)
  const [domains, setDomains] = useState(of.domains.join('\n'))
  const save = useMutation({
    mutationFn: () =>
      confirmed(() =>
        ask('PATCH /organization', { version: of.version, body: { signUp, domains: [...domainsOf(domains)] } }),
      ),
    onSuccess: (saved) => {
      toast(signUpSentence(saved))
      onClose()
      client.setQueryData(organizationQuery.queryKey, saved)
    },
  })
  return (
    <FormDialog
      title="Who may sign up"
      action="Change who may"
      request={save}
      fields={['signUp']}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <SelectField
        label="Accounts are made by"
        value={signUp}
        onPick={setSignUp}
        choices={CHOICES}
        error={fieldError(save.error, 'signUp')}
      />
      {signUp === 'open' && (
        <TextArea
          label="Domains"
          rows={3}
          spellCheck={false}
          placeholder="example.com"
          value={domains}
          onText={setDomains}
          hint="One a line. Who signs up becomes a member, once they have opened the link that is sent there."
        />
      )}
      {signUp === 'open' && canMail === false && (
        <Note>This gateway sends no mail, so nobody gets the link: configure accounts.smtp first.</Note>
      )}
    </FormDialog>
  )
}

/** Who may make an account, in a sentence. */
export function signUpSentence({ signUp, domains }: Pick<AnswerOf<'GET /organization'>, 'signUp' | 'domains'>): string {
  if (signUp === 'invite') return 'Only who is invited, or comes by a provider that says their role.'
  if (domains.length === 0) return 'Nobody by themselves: sign-up is open to no domain.'
  return `Everybody with a mail address of ${domains.join(', ')} becomes a member.`
}

/** Domains as they are typed: by lines, commas or spaces, each once. */
export function domainsOf(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((one) => one !== ''))]
}
