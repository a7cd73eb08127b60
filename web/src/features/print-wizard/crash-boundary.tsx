import { Component, type ReactNode } from 'react'

interface CrashBoundaryProps {
  onCrash: () => void
  children: ReactNode
}

/** Removes the wizard when it crashes, so that a damaged draft does not take the page with it. */
export class CrashBoundary extends Component<CrashBoundaryProps, { crashed: boolean }> {
  override state = { crashed: false }

  static getDerivedStateFromError(): { crashed: boolean } {
    return { crashed: true }
  }

  override componentDidCatch(): void {
    this.props.onCrash()
  }

  override render(): ReactNode {
    return this.state.crashed ? null : this.props.children
  }
}
