// `npx -y pnpm@12 messages` writes this file from messages/en.json.

export interface Messages {}
