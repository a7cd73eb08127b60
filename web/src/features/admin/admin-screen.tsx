import { useQuery } from '@tanstack/react-query'
import { ShieldOff } from 'lucide-react'
import { Link, useSearchParams } from 'react-router-dom'
import { environmentQuery } from '../../api/admin.ts'
import { unresolvedOrdersQuery } from '../../api/orders.ts'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { TabPanel, Tabs } from '../../components/ui/tabs.tsx'
import { hasStatus } from '../../lib/http.ts'
import { EnvironmentTab } from './environment-tab.tsx'
import { PrintingTab } from './printing-tab.tsx'

const TABS = [
  { value: 'api', label: 'API Configuration' },
  { value: 'printing', label: 'Walgreens Printing' },
] as const
const FIRST_TAB = TABS[0].value

/** The administration. `?tab=` names the open tab. */
export function AdminScreen() {
  const [search, setSearch] = useSearchParams()
  // Polled whatever the tab, so that an administrator without rights sees it within seconds.
  const environment = useQuery(environmentQuery)
  const tab = TABS.find(({ value }) => value === search.get('tab'))?.value ?? FIRST_TAB
  const unresolved = useQuery({ ...unresolvedOrdersQuery, enabled: tab === 'printing' })
  if (hasStatus(environment.error, 403) || hasStatus(unresolved.error, 403)) return <NoPermission />
  return (
    <>
      <h1 className="mb-4 text-2xl font-bold sm:text-3xl">Administration</h1>
      <Tabs
        label="Administration"
        value={tab}
        onValueChange={(next) =>
          setSearch(next === FIRST_TAB ? {} : { tab: next }, { replace: true, preventScrollReset: true })
        }
        tabs={[...TABS]}
      >
        <TabPanel value="api">
          <EnvironmentTab />
        </TabPanel>
        <TabPanel value="printing">
          <PrintingTab />
        </TabPanel>
      </Tabs>
    </>
  )
}

function NoPermission() {
  return (
    <div role="alert">
      <EmptyState
        heading="h1"
        icon={<ShieldOff />}
        title="You don't have permission to access this page."
        action={
          <Button asChild>
            <Link to="/">Go to the start page</Link>
          </Button>
        }
      />
    </div>
  )
}
