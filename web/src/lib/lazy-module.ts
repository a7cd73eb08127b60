/** A module that is loaded on demand. A failed load can be repeated. */
export interface LazyModule<T> {
  load(): Promise<T>
  /** Null until it is loaded. */
  loaded(): T | null
}

export function lazyModule<T>(load: () => Promise<T>): LazyModule<T> {
  let module: T | null = null
  return {
    loaded: () => module,
    load: async () => {
      module ??= await load()
      return module
    },
  }
}
