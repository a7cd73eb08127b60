import { AdminScreen } from '../features/admin/admin-screen.tsx'
import { usePageTitle } from '../lib/routing.ts'

/** The administration, for administrators only. */
export default function AdminPage() {
  usePageTitle('Administration')
  return (
    <div className="gutters mx-auto max-w-[1180px] pt-7">
      <AdminScreen />
    </div>
  )
}
