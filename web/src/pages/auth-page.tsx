import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Navigate, useLocation } from 'react-router-dom'
import { userQuery } from '../api/queries.ts'
import { ScreenSpinner } from '../components/ui/loading.tsx'
import { TabPanel, Tabs } from '../components/ui/tabs.tsx'
import { Introduction } from '../features/auth/introduction.tsx'
import { LoginForm } from '../features/auth/login-form.tsx'
import { RegisterForm } from '../features/auth/register-form.tsx'
import { type SignInState, usePageTitle } from '../lib/routing.ts'

const TABS = [
  { value: 'login', label: 'Login' },
  { value: 'register', label: 'Register' },
]

export default function AuthPage() {
  const { data: user, isPending } = useQuery(userQuery)
  const state = useLocation().state as SignInState | null
  const [tab, setTab] = useState('login')
  usePageTitle(tab === 'login' ? 'Login' : 'Register')

  if (isPending) return <ScreenSpinner />
  if (user) return <Navigate to={state?.from ?? '/'} replace />
  return (
    <div className="page grid gap-8 pt-6 sm:pt-12 lg:grid-cols-2 lg:gap-16">
      <div className="order-last mx-auto w-full max-w-md lg:order-first lg:max-w-none">
        <Introduction />
      </div>
      <div className="mx-auto w-full max-w-md lg:min-h-[640px]">
        <h1 className="text-3xl font-bold">{tab === 'login' ? 'Welcome back' : 'Create your account'}</h1>
        <p className="mt-1 mb-5 text-muted">
          {tab === 'login' ? 'Log in to see your photos and folders.' : 'All it takes is a name and a password.'}
        </p>
        <Tabs value={tab} onValueChange={setTab} label="Login or register" tabs={TABS}>
          <TabPanel value="login">
            <LoginForm />
          </TabPanel>
          <TabPanel value="register">
            <RegisterForm />
          </TabPanel>
        </Tabs>
      </div>
    </div>
  )
}
