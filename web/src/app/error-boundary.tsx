import { Component, type ReactNode } from 'react'
import { ErrorState } from '../components/ui/empty-state.tsx'

/**
 * Replaces a screen that crashed or whose code could not be loaded (after an update, or offline) by a way to continue.
 */
export class CrashBoundary extends Component<{ path: string; children: ReactNode }, { crashed: boolean }> {
  override state = { crashed: false }

  static getDerivedStateFromError() {
    return { crashed: true }
  }

  override componentDidUpdate(previous: { path: string }) {
    if (this.state.crashed && previous.path !== this.props.path) this.setState({ crashed: false })
  }

  override render() {
    if (!this.state.crashed) return this.props.children
    return (
      <ErrorState
        heading="h1"
        title="This page could not be shown"
        description="It may have been updated while you were here, or the connection was lost. Loading it again usually helps."
        onRetry={() => location.reload()}
      />
    )
  }
}
