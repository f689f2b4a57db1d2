import ground from "./migrations/0001_create_ground.ts"
import customers from "./migrations/0002_create_customers.ts"
import collections from "./migrations/0003_create_collections.ts"
import idempotentAnswers from "./migrations/0006_create_idempotent_answers.ts"

/** Every migration, in order. Append only: a migration that has landed is never edited. */
export const migrations = {
  "0001_create_ground": ground,
  "0002_create_customers": customers,
  "0003_create_collections": collections,
  "0006_create_idempotent_answers": idempotentAnswers
}
