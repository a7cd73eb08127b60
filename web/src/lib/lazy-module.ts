/** Code that is loaded when it is wanted, or before. A try that fails may be repeated. */
export interface LazyModule<T> {
  load(): Promise<T>
  /** Null until it is there. */
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
