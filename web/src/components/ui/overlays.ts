// Menus and toasts: what every screen loads after its first pictures, as one file, since they share most of their code.
export * from './opened-menu.tsx'
export { ToastViewport } from './toast-viewport.tsx'
