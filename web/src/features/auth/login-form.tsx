import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Control, useForm, useWatch } from 'react-hook-form'
import { Link } from 'react-router-dom'
import { api } from '../../api/client.ts'
import { USER_DATA, userQuery } from '../../api/queries.ts'
import type { User } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Checkbox } from '../../components/ui/field.tsx'
import { PasswordField } from '../../components/ui/password-field.tsx'
import { fieldsOf, TextField } from '../../components/ui/text-field.tsx'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { showServerFields, z } from '../../lib/forms.ts'
import type { ForgotPasswordState } from '../../lib/routing.ts'
import { FormProblem } from './form-parts.tsx'

export const loginSchema = z.object({
  username: z.string().check(z.trim(), z.minLength(1, 'Username is required')),
  password: z.string().check(z.minLength(1, 'Password is required')),
  rememberMe: z.boolean(),
})
type LoginValues = z.infer<typeof loginSchema>

/** `resumes`: the user whose screen waits below the form. */
export function LoginForm({ resumes }: { resumes?: number }) {
  const enter = useStartSession(resumes)
  const login = useMutation({
    mutationFn: ({ rememberMe, ...body }: LoginValues) =>
      api('post', '/api/login', { body, headers: { 'x-remember-me': String(rememberMe) } }),
    onSuccess: (user) => {
      enter(user)
      // The screen of a deletion says what matters.
      if (user.deletesAt) return
      toast({ title: 'Login successful', description: `Welcome back, ${user.username}!` })
    },
    onError: (error) => toastFailure('Login failed', error),
  })
  const form = useForm({
    resolver: zodResolver(loginSchema),
    defaultValues: { username: '', password: '', rememberMe: true },
  })
  const field = fieldsOf(form)
  const [shown, setShown] = useState(false)
  const submit = form.handleSubmit((values) => {
    setShown(false) // Browsers save the values of text fields.
    login.mutate(values, { onError: (error) => showServerFields(error, ['username', 'password'], form.setError) })
  }, login.reset)
  return (
    <form noValidate onSubmit={submit} className="grid gap-4">
      <TextField label="Username" autoComplete="username" autoCapitalize="none" {...field('username')} />
      <PasswordField autoComplete="current-password" shown={shown} onShown={setShown} {...field('password')} />
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <Checkbox label="Remember me" {...form.register('rememberMe')} />
        <ForgotPassword control={form.control} />
      </div>
      <FormProblem error={login.error} fields={Object.keys(form.formState.errors).length} />
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

/** Sets the user and clears what was cached for another one. The user who resumes keeps the screen, which reads again. */
export function useStartSession(resumes?: number) {
  const client = useQueryClient()
  return (user: User) => {
    if (user.id !== resumes) client.removeQueries(USER_DATA)
    client.setQueryData(userQuery.queryKey, user)
    if (user.id === resumes) void client.invalidateQueries(USER_DATA)
  }
}
