-- migrate:up

-- Users whose print images were erased: a late request must not create new ones.
CREATE TABLE deleted_users (
  user_id integer PRIMARY KEY,
  deleted_at timestamptz(3) NOT NULL DEFAULT now()
);

-- migrate:down

DROP TABLE deleted_users;
