import { SearchHandlers } from "./SearchHandlers.ts"

export const handlers = SearchHandlers
