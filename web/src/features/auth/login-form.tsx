import { zodResolver } from '@hookform/resolvers/zod'
import { useState } from 'react'
import { type Control, useForm, useWatch } from 'react-hook-form'
import { Link } from 'react-router-dom'
import { Button } from '../../components/ui/button.tsx'
import { Checkbox, Field, Input } from '../../components/ui/field.tsx'
import { showServerFields } from '../../lib/forms.ts'
import type { ForgotPasswordState } from '../../lib/routing.ts'
import { FormProblem } from './form-problem.tsx'
import { PasswordInput } from './password-input.tsx'
import { type LoginValues, loginSchema } from './schemas.ts'
import { useLogin } from './use-sign-in.ts'

/** `resumes`: the user whose screen waits below the form. */
export function LoginForm({ resumes }: { resumes?: number }) {
  const login = useLogin(resumes)
  const { register, handleSubmit, setError, control, formState } = useForm<LoginValues>({
    resolver: zodResolver(loginSchema),
    defaultValues: { username: '', password: '', rememberMe: true },
  })
  const { errors } = formState
  const [shown, setShown] = useState(false)
  const submit = handleSubmit((values) => {
    setShown(false) // Browsers save the values of text fields.
    login.mutate(values, { onError: (error) => showServerFields(error, ['username', 'password'], setError) })
  }, login.reset)
  return (
    <form noValidate onSubmit={submit} className="grid gap-4">
      <Field label="Username" error={errors.username?.message}>
        {(attributes) => (
          <Input {...attributes} autoComplete="username" autoCapitalize="none" {...register('username')} />
        )}
      </Field>
      <Field label="Password" error={errors.password?.message}>
        {(attributes) => (
          <PasswordInput
            {...attributes}
            autoComplete="current-password"
            shown={shown}
            onShown={setShown}
            {...register('password')}
          />
        )}
      </Field>
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <Checkbox label="Remember me" {...register('rememberMe')} />
        <ForgotPassword control={control} />
      </div>
      <FormProblem error={login.error} fields={Object.keys(errors).length} />
      <Button type="submit" variant="primary" busy={login.isPending}>
        Login
      </Button>
    </form>
  )
}

/** Takes along what was entered as the username if it is an address. */
function ForgotPassword({ control }: { control: Control<LoginValues> }) {
  const username = useWatch({ control, name: 'username' }).trim()
  const state: ForgotPasswordState = { email: username.includes('@') ? username : '' }
  return (
    <Link
      to="/forgot-password"
      state={state}
      className="inline-flex min-h-11 items-center font-medium text-accent hover:underline sm:min-h-0"
    >
      Forgot password?
    </Link>
  )
}
