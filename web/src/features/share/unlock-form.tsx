import { useMutation, useQueryClient } from '@tanstack/react-query'
import { LockKeyhole } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { linkKey } from '../../api/queries.ts'
import { PasswordField } from '../../components/ui/password-field.tsx'
import { Submit } from '../../components/ui/submit.tsx'
import { ApiError, errorMessage, hasCode, hasStatus } from '../../lib/http.ts'

const NO_COOKIE = 'The password is correct, but your browser keeps no cookies of this site. Allow them and try again.'

/** Asks for the password of a link. Its page is there as soon as the password is correct. */
export function UnlockForm({ shareCode }: { shareCode: string }) {
  const [password, setPassword] = useState('')
  const [shown, setShown] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const unlock = useUnlock(shareCode, () => form.current?.querySelector('input')?.select())
  const { error } = unlock
  const isWrong = hasCode(error, 'wrong_password')
  const problem = isMissing ? 'Enter the password' : isWrong ? errorMessage(error) : undefined

  function submit(event: FormEvent): void {
    event.preventDefault()
    setMissing(password === '')
    if (password === '') form.current?.querySelector('input')?.focus()
    else {
      setShown(false) // Browsers save the values of text fields.
      unlock.mutate(password)
    }
  }

  return (
    <div className="page pt-6 sm:pt-14">
      <div className="mx-auto max-w-[480px] rounded-lg bg-surface p-5 shadow-low ring ring-line sm:p-8">
        <span aria-hidden className="mb-4 grid size-12 place-items-center rounded-full bg-sunken text-muted">
          <LockKeyhole className="size-5" />
        </span>
        <h1 className="text-2xl font-bold text-balance">This folder is protected by a password</h1>
        <p className="mt-2 text-pretty text-muted">
          Enter the password that you were given with the link. If you have none, ask the person who sent you the link.
        </p>
        <form ref={form} noValidate onSubmit={submit} className="mt-6 grid gap-4">
          <PasswordField
            autoFocus
            autoComplete="off"
            shown={shown}
            onShown={setShown}
            value={password}
            onChange={({ target }) => setPassword(target.value)}
            error={problem}
          />
          <Submit variant="primary" busy={unlock.isPending} error={isWrong ? null : error}>
            Open the folder
          </Submit>
        </form>
      </div>
    </div>
  )
}

function useUnlock(shareCode: string, onFailure: () => void) {
  const client = useQueryClient()
  const queryKey = linkKey(shareCode)
  return useMutation({
    mutationFn: async (password: string) => {
      await api('post', '/api/share/{shareCode}/unlock', { path: { shareCode }, body: { password } })
      await client.invalidateQueries({ queryKey }, { throwOnError: true })
      if (client.getQueriesData({ queryKey }).every(([, data]) => data === null)) {
        throw new ApiError(403, NO_COOKIE, { code: 'password_required', message: NO_COOKIE })
      }
    },
    onSuccess: () => document.getElementById('main')?.focus({ preventScroll: true }),
    onError: (error) => {
      if (hasStatus(error, 404)) void client.invalidateQueries({ queryKey })
      onFailure()
    },
  })
}
